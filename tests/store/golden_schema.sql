CREATE TABLE attempts (
  run_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  pass INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  round INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('running', 'succeeded', 'failed', 'lost', 'handed-back', 'cancelled', 'stopped')),
  reason TEXT,
  message TEXT,
  exit_code INTEGER,
  signal TEXT,
  leftovers INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (run_id, task_id, pass, attempt),
  FOREIGN KEY (run_id, task_id) REFERENCES tasks (run_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER NOT NULL PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  task_id TEXT,
  pass INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  from_state TEXT,
  to_state TEXT,
  owner TEXT,
  token INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  round INTEGER NOT NULL,
  reason TEXT,
  message TEXT
) STRICT;

CREATE TABLE executors (
  owner TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  holder_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  ended_at INTEGER,
  drain_requested_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE manifests (
  run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE migrations (
  version INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE needs (
  run_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  need_id TEXT NOT NULL,
  PRIMARY KEY (run_id, task_id, need_id),
  FOREIGN KEY (run_id, task_id) REFERENCES tasks (run_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (
  run_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  pass INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (run_id, task_id, pass, attempt),
  FOREIGN KEY (run_id, task_id, pass, attempt)
    REFERENCES attempts (run_id, task_id, pass, attempt) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE roles (
  name TEXT NOT NULL PRIMARY KEY,
  owner TEXT,
  token INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  key TEXT,
  name TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'stopped')),
  reason TEXT,
  message TEXT,
  priority INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  round INTEGER NOT NULL,
  token INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  owner TEXT,
  lease_expires_at INTEGER,
  available_at INTEGER NOT NULL,
  crash_count INTEGER NOT NULL,
  cancel_requested_at INTEGER,
  cancel_requested_by TEXT,
  submitted_at INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('pending', 'running', 'succeeded', 'failed', 'skipped', 'cancelled', 'stopped')),
  reason TEXT,
  message TEXT,
  pass INTEGER NOT NULL,
  passes INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  backoff_ms INTEGER NOT NULL,
  max_backoff_ms INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  owner TEXT,
  token INTEGER,
  PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_of_run ON events (run_id);

CREATE INDEX needs_needed ON needs (run_id, need_id, task_id);

CREATE INDEX runs_ended ON runs (finished_at, state) WHERE finished_at IS NOT NULL;

CREATE UNIQUE INDEX runs_key ON runs (key) WHERE key IS NOT NULL;

CREATE INDEX runs_queued ON runs (rank, id, available_at, epoch, crash_count) WHERE state = 'queued';

CREATE INDEX runs_running ON runs (lease_expires_at, owner, epoch) WHERE state = 'running';
