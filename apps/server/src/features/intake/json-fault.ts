/**
 * Where a text stops being JSON, in the words of the operator: `第 8 个字符处`, or `内容不完整` where more text could make
 * it JSON. JSON.parse names no position for an unexpected token, so the shortest beginning that nothing can complete is
 * searched: some sixteen parses of a message of the largest size.
 */
export function jsonFault(text: string): string {
  if (isCompletable(text)) return '内容不完整'
  let completable = 0
  let broken = text.length
  while (broken - completable > 1) {
    const middle = Math.floor((completable + broken) / 2)
    if (isCompletable(text.slice(0, middle))) completable = middle
    else broken = middle
  }
  return `第 ${broken} 个字符处`
}

/** Whether the text is JSON, or the beginning of one: its parser complains of its end alone. */
function isCompletable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as SyntaxError
    const at = /at position (\d+)/.exec(message)?.[1]
    return at === undefined ? message.includes('end of JSON input') : Number(at) >= text.length
  }
}
