import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium, { inflate } from "@sparticuz/chromium";

/** Unpacks the packaged browser into TMPDIR, with the libraries that a minimal system lacks. */
const packed = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "../bin");
await chromium.executablePath(packed);
await inflate(join(packed, "al2023.tar.br"));
