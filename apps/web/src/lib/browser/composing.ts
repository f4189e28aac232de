/**
 * Whether a key event belongs to an IME composition, e.g. of a Chinese word: its Enter accepts the word and its Esc
 * discards it, and neither has another effect. Safari ends the composition before that keydown and marks it by the key
 * code 229 only.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229
