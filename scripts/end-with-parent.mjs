// Imported before a program that does not watch its parent: ends it when the parent has ended in any way. The IPC
// channel alone does not keep the program running.
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
