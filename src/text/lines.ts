/** Splits a stream of bytes into non-empty lines. A line longer than `longest` bytes is passed on as undefined. */
export function lineSplitter(longest: number, onLine: (line: Uint8Array | undefined) => void) {
  let parts: Uint8Array[] = [];
  let length = 0;

  const take = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= longest) parts.push(bytes);
    else parts = [];
  };
  const end = () => {
    if (length > longest) onLine(undefined);
    else if (length > 0) onLine(withoutReturn(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    parts = [];
    length = 0;
  };

  return {
    push(chunk: Uint8Array) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      // A copy, so that the large chunk can be freed.
      take(chunk.slice(from));
    },
    end,
  };
}

const NEWLINE = 10;
const RETURN = 13;

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
