// How long ago something was, in words of one or two letters.

const STEPS: readonly [seconds: number, unit: string][] = [
  [31_557_600, "y"], [2_629_800, "mo"], [604_800, "w"], [86_400, "d"], [3_600, "h"], [60, "min"],
];

export function age(milliseconds: number, now = Date.now()): string {
  const seconds = Math.max(0, (now - milliseconds) / 1000);
  for (const [length, unit] of STEPS) {
    if (seconds >= length) return `${Math.floor(seconds / length)} ${unit} ago`;
  }
  return "just now";
}
