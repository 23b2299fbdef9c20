/**
 * The closed catalogue of reason codes. Owns every code and its text; refuses codes that are not in it; holds
 * the second half of promise G10.
 *
 * @module
 */
export {
  isReasonCode,
  type Reason,
  type ReasonCode,
  type ReasonLevel,
  REASONS,
} from "./catalogue.ts";
