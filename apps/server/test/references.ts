// What an endpoint's input can name that belongs to somebody, and the words that several nouns have for it. Which
// endpoint names what is in proofs/, noun by noun; the access tests read it.

/** Ids of one organization's objects: the caller's, another organization's, or ids that do not exist. */
export interface Belongings {
  organizationId: string
  operatorId: string
  deviceId: string
  deviceCode: string
  /** A battery in the device, which reports its compartments. */
  batteryCode: string
  regionCode: string
  /** An active alarm of the device. */
  alarmId: string
  /** An event of the device. */
  eventId: string
  userId: string
  loginName: string
  sessionId: string
  /** A finished upgrade task with one target, of the device. */
  taskId: string
  targetId: string
  /** A finished parameter batch with one target, of the device. */
  batchId: string
  /** An advertisement with one delivery, to the device. */
  adId: string
  /** A failed log extraction of the device. */
  extractionId: string
  /** A remote action on the device. */
  actionId: string
  /** A role, a model and a package for the model: shared by all organizations, and valid in every form. */
  roleId: string
  modelId: string
  packageId: string
}

/** A field of an endpoint's input that names an object with an owner. */
export interface Reference {
  /** What the field names. */
  to: string
  /** An input that names the object and is otherwise valid. */
  input: (named: Belongings, own: Belongings) => Record<string, unknown>
  /** The caller is limited to regions by data permissions. */
  isByRegion?: true
  /** The object is a device or belongs to one: colleagues whose data permissions exclude the device must not see it. */
  isOfDevice?: true
}

export const organization = (input: Reference['input'] = ({ organizationId }) => ({ organizationId })) => ({
  to: 'organization',
  input,
})
export const operator = (input: Reference['input'] = ({ operatorId }) => ({ operatorId })) => ({
  to: 'operator',
  input,
})
export const deviceId: Reference = {
  to: 'device',
  input: (named) => ({ id: named.deviceId }),
  isOfDevice: true,
}
export const deviceCode: Reference = {
  to: 'device by code',
  input: (named) => ({ code: named.deviceCode }),
  isOfDevice: true,
}
export const equipId: Reference = {
  to: 'device by id',
  input: (named) => ({ equipId: named.deviceId }),
  isOfDevice: true,
}
export const deviceIds: Reference = {
  to: 'devices by ids',
  input: (named) => ({ ids: [named.deviceId] }),
  isOfDevice: true,
}
export const user = (input: Reference['input'] = ({ userId }) => ({ id: userId })) => ({ to: 'user', input })
let count = 0
export const fresh = (prefix: string) => `${prefix}${++count}`
export const limitedTo = (named: Belongings) => [{ authorityType: 'O', type: 'O', value: [named.operatorId] }]
export const shared = 'the same for everyone: it belongs to nobody'
export const ownOnly = 'says something about the caller alone'
export const unnamed = 'takes no id; that it lists nothing foreign is proved by what it answers'
