import { formatDateTime } from '@voltkeep/contract/fields'

export interface ReadLogLine {
  /** In the browser's time zone. */
  time: string
  level: string
  message: string
  /** The other fields as `name=value`; an error's stack on lines of its own. */
  rest: string
}

/** Parses a line of the server's log files, which is one JSON object; undefined for anything else. */
export function readLogLine(line: string): ReadLogLine | undefined {
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
  if (typeof fields !== 'object' || fields === null || typeof fields.level !== 'string') return undefined
  const { level, time, msg, err, ...others } = fields
  const at = new Date(String(time))
  const words = Object.entries(others).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string }
  const error = stack ?? message
  return {
    time: Number.isNaN(at.getTime()) ? '' : formatDateTime(at),
    level: String(level),
    message: typeof msg === 'string' ? msg : '',
    rest: [words.join(' '), error].filter(Boolean).join('\n'),
  }
}
