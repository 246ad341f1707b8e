import type { AnswerDevice } from "./inventory";

export interface Member {
  address: string;
  /** undefined: the list does not have it. */
  told: AnswerDevice | undefined;
}

/** A physical function with its virtual ones. */
export interface Family {
  physical: Member;
  /** By address; null: not told. */
  virtual: Member[] | null;
}

/** The functions that belong to the same card as this one; listed are those of its node, null if they were not read. */
export function familyOf(device: AnswerDevice, listed: readonly AnswerDevice[] | null): Family {
  const known = (address: string) => listed?.find((one) => one.address === address);
  const root = device.physical_function ?? device.address;
  const physical = root === device.address ? device : known(root);
  const addresses = physical?.virtual_functions ?? null;
  return {
    physical: { address: root, told: physical },
    virtual: addresses === null ? null : [...addresses].sort().map((address) => ({ address, told: address === device.address ? device : known(address) })),
  };
}
