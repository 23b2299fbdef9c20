/** A file in `tests/fixtures/manifests` and what the decoder says about it. */
export interface Fixture {
  /** The file's name. */
  readonly file: string;
  /** `line:column code path` of every diagnostic; none: the manifest is accepted. */
  readonly refusals: readonly string[];
  /** Whether only names or the graph are wrong, so that there is a draft. */
  readonly draft?: true;
  /** Whether a schema cannot see what is wrong: the text, or what only the whole document shows. */
  readonly beyondSchema?: true;
}

/** Every fixture of the folder. */
export const FIXTURES: readonly Fixture[] = [
  {
    file: "all-at-once.json",
    refusals: [
      "3:14 out-of-range $.workers",
      "5:26 wrong-text $.blocks.review.argv[0]",
      "5:32 unknown-key $.blocks.review.passez",
      "8:31 unknown-block $.tasks[0].block",
      "8:41 unknown-key $.tasks[0].needz",
      "9:50 unknown-need $.tasks[1].needs[0]",
      "9:59 own-need $.tasks[1].needs[1]",
      "10:13 repeated-id $.tasks[2].id",
      "10:40 repeated-key $.tasks[2].block",
      "12:47 cycle $.tasks[4].needs[0]",
    ],
  },
  {
    file: "argv-blank.json",
    refusals: [
      "3:31 wrong-text $.blocks.b.argv[0]",
    ],
  },
  {
    file: "argv-empty.json",
    refusals: [
      "3:30 empty-list $.blocks.b.argv",
    ],
  },
  {
    file: "argv-no-text.json",
    refusals: [
      "3:31 wrong-text $.blocks.b.argv[0]",
    ],
  },
  {
    file: "bad-escape.json",
    refusals: [
      "3:31 syntax $.blocks.b.argv",
    ],
    beyondSchema: true,
  },
  {
    file: "bare-key.json",
    refusals: [
      "2:3 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "blank.json",
    refusals: [
      "3:1 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "comment.json",
    refusals: [
      "1:1 comment $",
    ],
    beyondSchema: true,
  },
  {
    file: "cycle.json",
    refusals: [
      "7:42 cycle $.tasks[2].needs[0]",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "empty-texts.json",
    refusals: [
      "3:11 wrong-text $.name",
      '4:15 wrong-text $.blocks[""]',
      "4:73 wrong-text $.blocks.b.cwd",
      "6:13 wrong-text $.tasks[0].id",
      "6:44 wrong-text $.tasks[0].stdinFile",
    ],
  },
  {
    file: "empty.json",
    refusals: [
      "1:1 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "env-entries.json",
    refusals: [
      "3:11 wrong-text $.env[0]",
      "3:16 wrong-text $.env[1]",
      "3:22 wrong-text $.env[2]",
      "4:48 wrong-text $.blocks.b.env[0]",
      "6:40 wrong-text $.tasks[0].env[0]",
    ],
  },
  {
    file: "half-surrogates.json",
    refusals: [
      "3:11 wrong-text $.env[0]",
      "4:47 wrong-text $.blocks.b.cwd",
      "6:13 wrong-text $.tasks[0].id",
      "6:46 wrong-text $.tasks[0].args[0]",
      "6:66 wrong-text $.tasks[0].stdin",
    ],
  },
  {
    file: "inherit-entries.json",
    refusals: [
      "3:18 wrong-text $.inheritEnv[0]",
      "3:22 wrong-text $.inheritEnv[1]",
      "3:28 wrong-text $.inheritEnv[2]",
      "3:33 wrong-text $.inheritEnv[3]",
      "3:40 wrong-text $.inheritEnv[4]",
      "3:47 wrong-text $.inheritEnv[5]",
      "3:54 wrong-type $.inheritEnv[6]",
    ],
  },
  {
    file: "input-outside-needs.json",
    refusals: [
      "6:45 input-outside-needs $.tasks[1].stdinFrom",
      "7:66 input-outside-needs $.tasks[2].stdinFrom",
      "8:45 input-outside-needs $.tasks[3].stdinFrom",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "leading-zero.json",
    refusals: [
      "3:15 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "limits-negative.json",
    refusals: [
      "3:28 out-of-range $.limits.maxPasses",
      "3:50 out-of-range $.limits.maxOutputBytes",
      "3:70 out-of-range $.limits.runTimeoutMs",
    ],
  },
  {
    file: "limits-too-high.json",
    refusals: [
      "3:28 out-of-range $.limits.maxPasses",
      "3:55 out-of-range $.limits.maxOutputBytes",
      "3:89 out-of-range $.limits.runTimeoutMs",
    ],
  },
  {
    file: "long-id.json",
    refusals: [
      "5:13 long-id $.tasks[0].id",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "many-inputs.json",
    refusals: [
      "5:46 many-inputs $.tasks[0].stdinFile",
    ],
    draft: true,
  },
  {
    file: "missing-colon.json",
    refusals: [
      "2:13 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "missing-comma.json",
    refusals: [
      "3:3 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "missing-in-task.json",
    refusals: [
      "3:20 missing-key $.blocks.b.argv",
      "5:5 missing-key $.tasks[0].id",
      "5:5 missing-key $.tasks[0].block",
      "6:5 missing-key $.tasks[1].block",
      "7:5 missing-key $.tasks[2].id",
    ],
  },
  {
    file: "missing-keys.json",
    refusals: [
      "1:1 missing-key $.version",
      "1:1 missing-key $.blocks",
      "1:1 missing-key $.tasks",
    ],
  },
  {
    file: "no-tasks.json",
    refusals: [
      "4:12 empty-list $.tasks",
    ],
  },
  {
    file: "not-a-number.json",
    refusals: [
      "3:14 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "not-utf8.json",
    refusals: [
      "5:14 not-utf8 $",
    ],
    beyondSchema: true,
  },
  {
    file: "nul-bytes.json",
    refusals: [
      "3:11 wrong-text $.name",
      "4:11 wrong-text $.env[0]",
      "5:18 wrong-text $.inheritEnv[0]",
      "6:31 wrong-text $.blocks.b.argv[0]",
      "6:45 wrong-text $.blocks.b.argv[1]",
      "6:64 wrong-text $.blocks.b.env[0]",
      "6:84 wrong-text $.blocks.b.cwd",
      '6:96 wrong-text $.blocks["\\u0000"]',
      "7:21 wrong-text $.tasks[0].id",
      "7:55 wrong-text $.tasks[0].args[0]",
      "7:79 wrong-text $.tasks[0].stdinFile",
      "7:97 wrong-text $.tasks[0].env[0]",
    ],
  },
  {
    file: "numbers-too-high.json",
    refusals: [
      "3:50 out-of-range $.blocks.b.passes",
      "3:72 out-of-range $.blocks.b.timeoutMs",
      "3:110 out-of-range $.blocks.b.retry.maxAttempts",
      "3:128 out-of-range $.blocks.b.retry.backoffMs",
      "3:156 out-of-range $.blocks.b.retry.maxBackoffMs",
      "5:42 out-of-range $.tasks[0].passes",
      "5:64 out-of-range $.tasks[0].timeoutMs",
    ],
  },
  {
    file: "numbers-too-low.json",
    refusals: [
      "3:50 out-of-range $.blocks.b.passes",
      "3:66 out-of-range $.blocks.b.timeoutMs",
      "3:95 out-of-range $.blocks.b.retry.maxAttempts",
      "3:111 out-of-range $.blocks.b.retry.backoffMs",
      "3:131 out-of-range $.blocks.b.retry.maxBackoffMs",
      "5:42 out-of-range $.tasks[0].passes",
      "5:58 out-of-range $.tasks[0].timeoutMs",
    ],
  },
  {
    file: "ok-byte-order-mark.json",
    refusals: [],
  },
  {
    file: "ok-comments.jsonc",
    refusals: [],
  },
  {
    file: "ok-crlf.json",
    refusals: [],
  },
  {
    file: "ok-everything.json",
    refusals: [],
  },
  {
    file: "ok-inherit-all.json",
    refusals: [],
  },
  {
    file: "ok-smallest.json",
    refusals: [],
  },
  {
    file: "own-need.json",
    refusals: [
      "5:42 own-need $.tasks[0].needs[0]",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "passes-above-default.json",
    refusals: [
      "5:42 many-passes $.tasks[0].passes",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "passes-above-limit.json",
    refusals: [
      "4:50 many-passes $.blocks.b.passes",
      "6:42 many-passes $.tasks[0].passes",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "raw-tab.json",
    refusals: [
      "3:31 syntax $.blocks.b.argv",
    ],
    beyondSchema: true,
  },
  {
    file: "repeated-block.json",
    refusals: [
      "3:42 repeated-key $.blocks.b",
      "3:105 repeated-key $.blocks.__proto__",
      "3:128 empty-list $.blocks.__proto__.argv",
    ],
  },
  {
    file: "repeated-ids.json",
    refusals: [
      "7:13 repeated-id $.tasks[2].id",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "repeated-key-escaped.json",
    refusals: [
      "2:17 repeated-key $.version",
      "2:31 repeated-key $.version",
    ],
    beyondSchema: true,
  },
  {
    file: "repeated-key.json",
    refusals: [
      "6:7 repeated-key $.tasks[0].needs",
    ],
    beyondSchema: true,
  },
  {
    file: "repeated-needs.json",
    refusals: [
      "6:47 repeated-need $.tasks[1].needs[1]",
    ],
    draft: true,
  },
  {
    file: "root-is-list.json",
    refusals: [
      "1:1 wrong-type $",
    ],
  },
  {
    file: "root-is-text.json",
    refusals: [
      "1:1 wrong-type $",
    ],
  },
  {
    file: "second-value.json",
    refusals: [
      "8:1 second-value $",
    ],
    beyondSchema: true,
  },
  {
    file: "second-word.json",
    refusals: [
      "8:1 second-value $",
    ],
    beyondSchema: true,
  },
  {
    file: "single-quotes.json",
    refusals: [
      "5:13 syntax $.tasks[0]",
    ],
    beyondSchema: true,
  },
  {
    file: "tasks-is-object.json",
    refusals: [
      "3:13 wrong-type $.blocks",
      "4:12 wrong-type $.tasks",
    ],
  },
  {
    file: "too-deep.json",
    refusals: [
      "1:65 too-deep $",
    ],
  },
  {
    file: "trailing-comma.json",
    refusals: [
      "3:37 trailing-comma $.blocks.b.argv",
      "5:30 trailing-comma $.tasks[0]",
    ],
    beyondSchema: true,
  },
  {
    file: "unclosed-comment.jsonc",
    refusals: [
      "8:1 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "unclosed-text.json",
    refusals: [
      "3:31 syntax $.blocks.b.argv",
    ],
    beyondSchema: true,
  },
  {
    file: "unclosed.json",
    refusals: [
      "6:4 syntax $",
    ],
    beyondSchema: true,
  },
  {
    file: "unknown-block.json",
    refusals: [
      "5:27 unknown-block $.tasks[0].block",
      "6:27 unknown-block $.tasks[1].block",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "unknown-key-everywhere.json",
    refusals: [
      "3:3 unknown-key $.worker",
      "4:15 unknown-key $.limits.maxPass",
      "5:40 unknown-key $.blocks.b.shell",
      "5:66 unknown-key $.blocks.b.retry.attempts",
      "6:40 unknown-key $.tasks[0].__proto__",
      "6:57 unknown-key $.tasks[0].toString",
    ],
  },
  {
    file: "unknown-key.json",
    refusals: [
      "5:32 unknown-key $.tasks[0].needz",
    ],
  },
  {
    file: "unknown-need.json",
    refusals: [
      "6:42 unknown-need $.tasks[1].needs[0]",
      "6:52 unknown-need $.tasks[1].needs[1]",
    ],
    draft: true,
    beyondSchema: true,
  },
  {
    file: "utf16.json",
    refusals: [
      "1:1 not-utf8 $",
    ],
    beyondSchema: true,
  },
  {
    file: "version-2.json",
    refusals: [
      "2:14 out-of-range $.version",
    ],
  },
  {
    file: "workers-fraction.json",
    refusals: [
      "3:14 out-of-range $.workers",
    ],
  },
  {
    file: "workers-high.json",
    refusals: [
      "3:14 out-of-range $.workers",
    ],
  },
  {
    file: "workers-huge.json",
    refusals: [
      "3:14 out-of-range $.workers",
    ],
  },
  {
    file: "workers-negative.json",
    refusals: [
      "3:14 out-of-range $.workers",
    ],
  },
  {
    file: "wrong-types.json",
    refusals: [
      "2:14 wrong-type $.version",
      "3:11 wrong-type $.name",
      "4:14 wrong-type $.workers",
      "5:13 wrong-type $.limits",
      "6:10 wrong-type $.env",
      "7:17 wrong-type $.inheritEnv",
      "8:30 wrong-type $.blocks.b.argv",
      "8:48 wrong-type $.blocks.b.passes",
      "8:61 wrong-type $.blocks.b.cwd",
      "8:74 wrong-type $.blocks.b.retry",
      "8:103 wrong-type $.blocks.c.argv[1]",
      "9:13 wrong-type $.tasks[0]",
      "9:24 wrong-type $.tasks[1].id",
      "9:36 wrong-type $.tasks[1].block",
      "9:51 wrong-type $.tasks[1].needs",
      "9:65 wrong-type $.tasks[1].stdin",
      "9:78 wrong-type $.tasks[1].args[0]",
    ],
  },
];
