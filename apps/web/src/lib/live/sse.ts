/** Server-Sent Events as they arrive in pieces: give it text, it returns each whole message's data. */
export interface EventReader {
  /** The data of each message that the text completes. A heartbeat comment completes none. */
  read(text: string): string[]
}

export function createEventReader(): EventReader {
  let rest = ''
  let data: string[] = []

  return {
    read(text) {
      rest += text
      const messages: string[] = []
      for (;;) {
        const end = /\r\n|\n|\r/.exec(rest)
        if (!end) break
        // A lone CR at the very end may be half of a CRLF.
        if (end[0] === '\r' && end.index === rest.length - 1) break
        const line = rest.slice(0, end.index)
        rest = rest.slice(end.index + end[0].length)
        if (line === '') {
          if (data.length > 0) messages.push(data.join('\n'))
          data = []
        } else if (line.startsWith('data:')) {
          data.push(line.slice(line[5] === ' ' ? 6 : 5))
        }
      }
      return messages
    },
  }
}
