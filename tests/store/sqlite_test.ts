import { conformance } from "../conformance/suite.ts";
import { sqlite } from "./sqlite_world.ts";

conformance(sqlite);
