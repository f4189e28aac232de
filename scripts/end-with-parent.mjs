// Imported before a program that knows nothing of its parent: it ends when the parent is gone, however
// that came about. The channel alone shall not keep the program alive.
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
