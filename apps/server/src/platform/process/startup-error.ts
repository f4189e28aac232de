/**
 * The process cannot start, and the person at the console can do something about it. The message is
 * in the language of the terminal, says what to do, and is printed without a stack; any other error at start is a defect.
 */
export class StartupError extends Error {
  override name = 'StartupError'
}
