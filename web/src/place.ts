// Where this vault's page is: a server with several has each at an address of its own, on one origin.
// What a browser keeps for a vault must not be taken for another's, so its names hold that address.

const FOLDER = (globalThis.location?.pathname ?? "/").replace(/[^/]*$/, "");

/** The address below which everything of this vault is, without the slash at its end. */
export const HERE = FOLDER.slice(0, -1);

/** The name under which something of this vault is kept in this browser. */
export function keptAs(name: string): string {
  return `commonplace.${HERE ? `${HERE}.` : ""}${name}`;
}
