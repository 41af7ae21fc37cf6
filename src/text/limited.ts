/** Passes on a limited number of texts and characters, then says `leftOut` once and drops the rest. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (text) => {
    if (isFull) return;
    texts++;
    characters += text.length;
    isFull = texts > most.texts || characters > most.characters;
    say(isFull ? leftOut : text);
  };
}
