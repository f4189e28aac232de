/**
 * What one process of the server tells the others, over the database's NOTIFY, so that a split of roles
 * over processes changes nothing. A notice is a hint: it may be lost with a connection, and who needs to
 * be sure reads the tables again. It is sent after the commit it tells of, never inside a transaction.
 */
export interface NoticePayloads {
  /** Alarm episodes that opened, changed or recovered; null where there were too many to name. */
  alarmsChanged: { episodeIds: string[] | null }
  /** Devices that came or went; null where there were too many to name. */
  devicesOnline: { deviceIds: number[] | null }
  /** Devices added, changed, moved, re-keyed or deleted: what is cached of them is stale. */
  devicesChanged: { codes: string[] | null }
  /** Dictionary entries or definitions changed. */
  dictionaryChanged: Record<string, never>
}
export type NoticeName = keyof NoticePayloads

export interface Notices {
  /** Sends to every process, this one included; equal kinds within a short while travel together. */
  publish<Name extends NoticeName>(name: Name, payload: NoticePayloads[Name]): void
  /** Calls back for each notice until the returned function is called. */
  subscribe<Name extends NoticeName>(
    name: Name,
    listener: (payload: NoticePayloads[Name]) => void,
  ): () => void
  close(): Promise<void>
}
