/** Writes a generated file; with --check only says whether it is current. */
export async function writeOrCheck(name: string, text: string, source: string): Promise<void> {
  const file = Bun.file(`${import.meta.dir}/../${name}`);
  if (!process.argv.includes("--check")) await Bun.write(file, text);
  else if ((await file.text().catch(() => "")) !== text) {
    console.error(`${name} is not what ${source} says: run \`bun run fix\``);
    process.exitCode = 1;
  }
}
