// BLAKE2b with a digest of 8 bytes and no key (RFC 7693), for the ids of suggestions.
// 64-bit words are pairs of 32-bit halves, low half first: BigInt is twenty times slower here.

const BLOCK = 128;
const IV = new Uint32Array([
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a,
  0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
]);
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
  "0123456789abcdef", "ea489fd61c02b753",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const MIXED = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
] as const;

export function blake2b8(data: Uint8Array): string {
  const state = IV.slice();
  state[0] = state[0]! ^ 0x01010008;
  const padded = new Uint8Array(Math.max(1, Math.ceil(data.length / BLOCK)) * BLOCK);
  padded.set(data);
  const words = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += BLOCK) {
    const last = at + BLOCK >= padded.length;
    compress(state, words, at, last ? data.length : at + BLOCK, last);
  }
  const digest = new DataView(state.slice(0, 2).buffer);
  // The state is little-endian by definition; a Uint32Array follows the machine, which is too.
  return [...new Uint8Array(digest.buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function compress(state: Uint32Array, words: DataView, at: number, count: number, last: boolean): void {
  const v = new Uint32Array(32);
  v.set(state);
  v.set(IV, 16);
  v[24] = v[24]! ^ count;
  if (last) {
    v[28] = ~v[28]!;
    v[29] = ~v[29]!;
  }
  const m = new Uint32Array(32);
  for (let word = 0; word < 32; word++) m[word] = words.getUint32(at + 4 * word, true);
  for (const order of SIGMA) {
    MIXED.forEach(([a, b, c, d], turn) => mix(v, a, b, c, d, m, order[2 * turn]!, order[2 * turn + 1]!));
  }
  for (let word = 0; word < 16; word++) state[word] = state[word]! ^ v[word]! ^ v[word + 16]!;
}

function mix(
  v: Uint32Array, a: number, b: number, c: number, d: number, m: Uint32Array, x: number, y: number,
): void {
  add(v, a, v[2 * b]!, v[2 * b + 1]!);
  add(v, a, m[2 * x]!, m[2 * x + 1]!);
  turn(v, d, a, 32);
  add(v, c, v[2 * d]!, v[2 * d + 1]!);
  turn(v, b, c, 24);
  add(v, a, v[2 * b]!, v[2 * b + 1]!);
  add(v, a, m[2 * y]!, m[2 * y + 1]!);
  turn(v, d, a, 16);
  add(v, c, v[2 * d]!, v[2 * d + 1]!);
  turn(v, b, c, 63);
}

function add(v: Uint32Array, to: number, low: number, high: number): void {
  const sum = v[2 * to]! + low;
  v[2 * to] = sum;
  v[2 * to + 1] = v[2 * to + 1]! + high + (sum > 0xffffffff ? 1 : 0);
}

/** `v[to] = (v[to] ^ v[from])` rotated right. */
function turn(v: Uint32Array, to: number, from: number, by: number): void {
  const low = v[2 * to]! ^ v[2 * from]!;
  const high = v[2 * to + 1]! ^ v[2 * from + 1]!;
  const near = by < 32 ? low : high;
  const far = by < 32 ? high : low;
  const rest = by % 32;
  v[2 * to] = rest ? (near >>> rest) | (far << (32 - rest)) : near;
  v[2 * to + 1] = rest ? (far >>> rest) | (near << (32 - rest)) : far;
}
