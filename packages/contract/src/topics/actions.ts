/** What a user may have a device do at once: the down topic `action`. */
export const remoteActions = [
  'openDoor',
  'disableCompartment',
  'enableCompartment',
  'stopCharging',
  'restart',
  'reportStatus',
] as const
export type RemoteAction = (typeof remoteActions)[number]
