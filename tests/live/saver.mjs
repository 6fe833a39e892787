// Saves a note again and again as Obsidian and VS Code do: read it, `fs.writeFile` it.
//     node saver.mjs NOTE COUNT PAUSE SEED; the lines that were saved are printed.
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const [note, count, pause, seed] = process.argv.slice(2);
for (let number = 0; number < Number(count); number++) {
  const mark = Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0");
  const line = `${mark}-node${seed}-${number}`;
  const began = Date.now();
  const lines = (await readFile(note, "utf8")).split("\n");
  lines.splice(Math.floor((Math.random() * lines.length) / 2), 0, line);
  await writeFile(note, lines.join("\n"));
  console.log(line, (Date.now() - began) / 1000);
  await sleep(Math.random() * 2000 * Number(pause));
}
