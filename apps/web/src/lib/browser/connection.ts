/** Null for a device that was never connected: it is not offline. */
export const connectionOf = ({
  isOnline,
  onlineChangedTime,
}: {
  isOnline: 0 | 1
  onlineChangedTime: string | null
}): 0 | 1 | null => (onlineChangedTime === null ? null : isOnline)
