import { states, type DeviceState } from "./inventory";

/** A state in the address; undefined: all. */
export function stateParam(value: unknown): DeviceState | undefined {
  return states.find((state) => state === value);
}
