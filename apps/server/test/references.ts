// For each endpoint of the contract, which objects of other organizations its input can name. The access tests read
// it.
import { formatDateTime } from '@voltkeep/contract'

/** Ids of one organization's objects: the caller's, another organization's, or ids that do not exist. */
export interface Belongings {
  organizationId: string
  operatorId: string
  deviceId: string
  deviceCode: string
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

const organization = (input: Reference['input'] = ({ organizationId }) => ({ organizationId })) => ({
  to: 'organization',
  input,
})
const operator = (input: Reference['input'] = ({ operatorId }) => ({ operatorId })) => ({
  to: 'operator',
  input,
})
const deviceId: Reference = { to: 'device', input: (named) => ({ id: named.deviceId }), isOfDevice: true }
const deviceCode: Reference = {
  to: 'device by code',
  input: (named) => ({ code: named.deviceCode }),
  isOfDevice: true,
}
const equipId: Reference = {
  to: 'device by id',
  input: (named) => ({ equipId: named.deviceId }),
  isOfDevice: true,
}
const deviceIds: Reference = {
  to: 'devices by ids',
  input: (named) => ({ ids: [named.deviceId] }),
  isOfDevice: true,
}
const alarmIds: Reference = {
  to: 'alarms by ids',
  input: (named) => ({ ids: [named.alarmId] }),
  isOfDevice: true,
}
const alarmId: Reference = {
  to: 'alarm',
  input: (named) => ({ id: named.alarmId, note: '已处理' }),
  isOfDevice: true,
}
const eventId: Reference = { to: 'event', input: (named) => ({ id: named.eventId }), isOfDevice: true }
const user = (input: Reference['input'] = ({ userId }) => ({ id: userId })) => ({ to: 'user', input })
const task = (input: Reference['input'] = ({ taskId }) => ({ id: taskId })) => ({ to: 'task', input })
const taskOfLog: Reference = { to: 'task', input: ({ taskId }) => ({ taskId }) }
const batch = (input: Reference['input'] = ({ batchId }) => ({ id: batchId })) => ({ to: 'batch', input })
const advertisement: Reference = { to: 'advertisement', input: ({ adId }) => ({ adId }) }
const advertisementId: Reference = { to: 'advertisement', input: ({ adId }) => ({ id: adId }) }
const extraction: Reference = {
  to: 'extraction',
  input: ({ extractionId }) => ({ id: extractionId }),
  isOfDevice: true,
}
const today = () => formatDateTime(new Date()).slice(0, 10)
const deviceOfLog: Reference = {
  to: 'device by code',
  input: ({ deviceCode: equipCode }) => ({
    equipCode,
    equipClassify: 'EC',
    logExtractParam: { level: 'RUN', startTime: today(), endTime: today() },
  }),
  isOfDevice: true,
}
const values = [{ id: '02121005', value: 88 }]

let count = 0
const fresh = (prefix: string) => `${prefix}${++count}`

const deviceForm = (of: Belongings) => ({
  operatorId: of.operatorId,
  equipModelId: of.modelId,
  regionCode: '440305',
})
const operatorForm = (of: Belongings) => ({
  name: '改名',
  code: fresh('OPR'),
  organizationId: of.organizationId,
})
const userForm = (of: Belongings) => ({
  userName: '改名',
  phone: '13800138000',
  roleIds: [of.roleId],
  type: '1',
  organizationId: of.organizationId,
})
const limitedTo = (named: Belongings) => [{ authorityType: 'O', type: 'O', value: [named.operatorId] }]

const shared = 'the same for everyone: it belongs to nobody'
const ownOnly = 'says something about the caller alone'
const unnamed = 'takes no id; that it lists nothing foreign is proved by what it answers'

/**
 * All endpoints of the contract: the objects that their input can name, or why there are none. A new endpoint must be
 * added here.
 */
export const references: Record<string, string | readonly Reference[]> = {
  // Session
  login: 'of nobody yet',
  logout: ownOnly,
  readCurrentUser: ownOnly,
  readJurisdiction: ownOnly,
  changePassword: ownOnly,
  savePreference: ownOnly,
  listSavedFilters: unnamed,
  insertSavedFilter: ownOnly,
  updateSavedFilter: 'another user’s is answered as what does not exist; its own tests ask for it',
  deleteSavedFilter: 'another user’s is answered as what does not exist; its own tests ask for it',
  listPhoneUsers: unnamed,
  readNewestAppAddress: shared,
  readCompany: shared,
  listReleases: shared,
  readSharedPicture: 'the signed address is the permission; its own tests ask with others',
  readSharedPictureFile: 'the signed address is the permission; its own tests ask with others',
  readHealth: shared,
  readReadiness: shared,

  // Devices, alarms, events
  listDevices: [organization(), operator(), deviceCode, deviceIds],
  searchConsole: [{ to: 'device by code', input: (named) => ({ keyword: named.deviceCode }) }],
  exportDevices: [organization(), operator(), deviceCode, deviceIds],
  countChosenDevices: [
    { to: 'device by code', input: (named) => ({ codes: [named.deviceCode] }) },
    organization(({ organizationId }) => ({ filters: { organizationId } })),
    operator(({ operatorId }) => ({ filters: { operatorId } })),
  ],
  readDevice: [deviceId],
  readDeviceTimeline: [deviceId],
  insertDevice: [operator((named) => ({ ...deviceForm(named), code: fresh('NEWDEV') }))],
  updateDevice: [
    { to: 'device', input: (named, own) => ({ ...deviceForm(own), id: named.deviceId }) },
    operator((named, own) => ({ ...deviceForm(named), id: own.deviceId })),
  ],
  renewDeviceSecret: [deviceId],
  deleteDevice: [deviceId],
  readImportTemplate: shared,
  importDevices:
    'names operators by name, row by row: its own tests import as a user of another organization',
  renewImportSecrets: 'is about the caller’s own imports: its own tests ask for those of others',
  listTasks: 'has the caller’s own alone: its own tests ask as others',
  listDeviceVersions: [organization(), operator(), deviceCode, deviceIds],
  exportUnmatchedVersions: [organization(), operator(), deviceCode, deviceIds],
  listDevicesByPartType: [
    { to: 'device by code', input: (named) => ({ code: named.deviceCode, partType: 'PART_TYPE_EC_BIN' }) },
  ],
  listDevicesByBoard: [
    { to: 'device by code', input: (named) => ({ code: named.deviceCode, pcbCode: 'PCB-1' }) },
  ],
  readUpgradeRate: [organization(), operator()],
  readDeviceVersions: [equipId],
  readPartVersions: [equipId],
  listIntakeRefusals: [deviceCode],
  listAlarms: [organization(), operator(), deviceCode, equipId, alarmIds],
  exportAlarms: [organization(), operator(), deviceCode, equipId],
  listAlarmHistory: [organization(), operator(), deviceCode, equipId],
  exportAlarmHistory: [organization(), operator(), deviceCode, equipId],
  countAlarmLevels: [organization(), operator(), deviceCode, equipId],
  readAlarm: [alarmId],
  readAlarmTimeline: [alarmId],
  recoverAlarm: [alarmId],
  recoverAlarms: [
    { to: 'alarms by ids', input: (named) => ({ ids: [named.alarmId], count: 1, note: '已处理' }) },
    organization(({ organizationId }) => ({ organizationId, count: 1, note: '已处理' })),
  ],
  decodeAlarms: shared,
  listEvents: [organization(), operator(), deviceCode, equipId],
  readEvent: [eventId],
  exportEvents: [organization(), operator(), deviceCode, equipId],
  readOverview: unnamed,
  readActiveLevels: unnamed,
  openLiveStream: 'takes no id; its own tests prove that it tells nothing foreign',

  // Users and what they may do
  listUsers: [organization(), user(({ userId }) => ({ ids: [userId] }))],
  insertUser: [
    organization((named) => ({ ...userForm(named), loginName: fresh('new'), password: 'Abc-12345' })),
    operator((named, own) => ({
      ...userForm(own),
      loginName: fresh('new'),
      password: 'Abc-12345',
      authorityEntities: limitedTo(named),
    })),
  ],
  updateUser: [
    user((named, own) => ({ ...userForm(own), id: named.userId })),
    organization((named, own) => ({ ...userForm(named), id: own.userId })),
  ],
  updateUserOfBody: [
    user((named, own) => ({ ...userForm(own), id: named.userId })),
    organization((named, own) => ({ ...userForm(named), id: own.userId })),
  ],
  resetUserPassword: [user()],
  grantSystem: [user()],
  revokeSystem: [user()],
  deleteUser: [user()],
  deleteUserByUpdate: [user()],
  listSessions: [organization()],
  endSession: [{ to: 'session', input: (named) => ({ id: named.sessionId }) }],
  readPermissions: [user(({ userId }) => ({ userId }))],
  updatePermissions: [
    user((named, own) => ({ userId: named.userId, authorityEntities: limitedTo(own) })),
    operator((named, own) => ({ userId: own.userId, authorityEntities: limitedTo(named) })),
  ],
  deletePermissions: [user(({ userId }) => ({ userId }))],
  previewPermissions: [user(({ userId }) => ({ userId })), organization()],
  explainPermissions: [
    organization((named, own) => ({ organizationId: named.organizationId, code: own.deviceCode })),
    user((named, own) => ({ userId: named.userId, code: own.deviceCode })),
    { to: 'device by code', input: (named, own) => ({ userId: own.userId, code: named.deviceCode }) },
  ],
  listRoles: shared,
  listRoleNames: shared,
  searchRoles: shared,
  readRole: shared,
  insertRole: shared,
  updateRole: shared,
  deleteRole: shared,
  listMenus: shared,
  insertMenu: shared,
  updateMenu: shared,
  deleteMenu: shared,
  listOperations: [{ to: 'user by name', input: (named) => ({ user: named.loginName }) }],
  exportOperations: [{ to: 'user by name', input: (named) => ({ user: named.loginName }) }],

  // Reference data
  listOrganizations: unnamed,
  insertOrganization: [
    organization((named) => ({ parentId: named.organizationId, name: '新组织', code: fresh('ORGN') })),
  ],
  updateOrganization: [
    organization((named) => ({ id: named.organizationId, name: '改名', code: fresh('ORGN') })),
  ],
  deleteOrganization: [organization(({ organizationId }) => ({ id: organizationId }))],
  listOperators: [organization(({ organizationId }) => ({ organId: organizationId }))],
  searchOperators: [organization(), operator(({ operatorId }) => ({ ids: [operatorId] }))],
  insertOperator: [organization((named) => operatorForm(named))],
  updateOperator: [
    operator((named, own) => ({ ...operatorForm(own), id: named.operatorId })),
    organization((named, own) => ({ ...operatorForm(named), id: own.operatorId })),
  ],
  deleteOperator: [operator(({ operatorId }) => ({ id: operatorId }))],
  listRegions: shared,
  insertRegion: [
    {
      to: 'region above',
      isByRegion: true,
      input: (named) => ({ parentCode: named.regionCode, name: '新地区', code: fresh('98') }),
    },
  ],
  updateRegion: [
    {
      to: 'region',
      isByRegion: true,
      input: (named) => ({ id: named.regionCode, name: '改名' }),
    },
  ],
  deleteRegion: [{ to: 'region', isByRegion: true, input: (named) => ({ id: named.regionCode }) }],
  listEquipTypes: shared,
  insertEquipType: shared,
  updateEquipType: shared,
  deleteEquipType: shared,
  listModels: shared,
  insertModel: shared,
  updateModel: shared,
  deleteModel: shared,
  listModelParts: shared,
  insertModelPart: shared,
  updateModelPart: shared,
  deleteModelPart: shared,
  listPartTypes: shared,
  insertPartType: shared,
  updatePartType: shared,
  deletePartType: shared,
  listAdvertisements: [{ to: 'advertisement by ids', input: ({ adId }) => ({ ids: [adId] }) }],
  uploadAdvertisementFile: ownOnly,
  createAdvertisement:
    'names devices by a choice that reaches the scope alone, and another advertisement: its own tests',
  deleteAdvertisement: [advertisementId],
  previewAdvertisement: [advertisement],
  listDeliveries: [advertisement],
  listFailureReasons: [advertisement],
  shareAdvertisement: [advertisementId],
  retryDeliveries: [advertisementId],

  listUpgradeTasks: [
    { to: 'task by ids', input: ({ taskId }) => ({ ids: [taskId], type: 'ALL' }) },
    {
      to: 'device by id',
      input: (named) => ({ equipId: named.deviceId, type: 'ALL' }),
      isOfDevice: true,
    },
  ],
  readUpgradeTask: [task()],
  insertUpgradeTask: 'names devices by a choice that reaches the scope alone: its own tests',
  updateUpgradeTask: [
    task(({ taskId, packageId }) => ({
      id: taskId,
      softwareVersionId: packageId,
      upgradeTime: '2099-01-01 00:00:00',
    })),
  ],
  deleteUpgradeTask: [task()],
  previewUpgradeTask: [
    {
      to: 'device by code',
      input: (named) => ({ softwareVersionId: named.packageId, devices: { codes: [named.deviceCode] } }),
      isOfDevice: true,
    },
  ],
  pauseUpgradeTask: [task()],
  resumeUpgradeTask: [task()],
  cancelUpgradeTask: [task()],
  retryUpgradeTask: [task()],
  rollBackUpgradeTask: [task()],
  listUpgradeTargets: [taskOfLog],
  listUpgradeFailures: [taskOfLog],
  listUpgradeTransitions: [
    taskOfLog,
    { to: 'target', input: ({ targetId }) => ({ targetId }), isOfDevice: true },
  ],
  listUpgradeLog: [
    equipId,
    deviceCode,
    { to: 'target by ids', input: ({ targetId }) => ({ ids: [targetId] }), isOfDevice: true },
  ],
  upgradeDevices: [
    {
      to: 'device by id',
      input: (named) => ({ equipId: named.deviceId, softwareVersionId: named.packageId }),
      isOfDevice: true,
    },
    {
      to: 'device beside the own one',
      input: (named, own) => ({
        equipIds: [own.deviceId, named.deviceId],
        softwareVersionId: named.packageId,
      }),
    },
  ],
  upgradeDevicesByBoard: [
    {
      to: 'device by id',
      input: (named) => ({ equipId: named.deviceId, pcbCode: 'PCB-1' }),
      isOfDevice: true,
    },
  ],

  listParameterBatches: [batch(({ batchId }) => ({ ids: [batchId] }))],
  readParameterBatch: [batch()],
  insertParameterBatch: [
    {
      to: 'device by code',
      input: (named) => ({
        paramSetRule: { upgradeCount: 1, interval: 3 },
        entitys: values,
        queryParam: { codes: [named.deviceCode] },
      }),
      isOfDevice: true,
    },
  ],
  previewParameterBatch: [
    {
      to: 'device by code',
      input: (named) => ({ entitys: values, queryParam: { codes: [named.deviceCode] } }),
      isOfDevice: true,
    },
  ],
  retryParameterBatch: [batch()],
  stopParameterBatch: [batch()],
  previewRestoration: [batch()],
  restoreParameterBatch: [batch()],
  listBatchDevices: [batch()],
  listBatchLog: [batch()],
  exportFailedBatchDevices: [batch()],

  listHwVersions: shared,
  insertHwVersion: shared,
  deleteHwVersion: shared,
  listBoards: shared,
  saveBoard: shared,
  deleteBoard: shared,
  listFirmware: shared,
  uploadFirmware: shared,
  insertFirmware: 'names a file that the caller has uploaded: its own tests name one of somebody else',
  updateFirmware: shared,
  countFirmwareReach: shared,
  deleteFirmware: shared,
  readFirmwareJson: shared,
  downloadFirmware: shared,
  listSoftwareVersions: shared,
  uploadSoftwareVersion: shared,
  insertSoftwareVersion:
    'names a file that the caller has uploaded: the tests of firmware name one of somebody else',
  updateSoftwareVersion: shared,
  countSoftwareVersionReach: shared,
  deleteSoftwareVersion: shared,
  listLogLevels: shared,
  insertLogLevel: shared,
  updateLogLevel: shared,
  deleteLogLevel: shared,
  extractLog: [deviceOfLog],
  startLogExtraction: [deviceOfLog],
  cancelLogExtraction: [extraction],
  listLogExtractions: [
    deviceCode,
    { to: 'extraction by ids', input: ({ extractionId }) => ({ ids: [extractionId] }), isOfDevice: true },
  ],
  downloadExtractedLog: [extraction],
  listLogEntries: [extraction],
  readExtractedLog: [extraction],
  listAutoUpgradeVersions: shared,
  readUpgradeJson: shared,
  readEnums: shared,
  listDictionary: shared,
  listDictionaryTypes: shared,
  listCodes: shared,
  listSemaphores: shared,
  insertDictionaryEntry: shared,
  updateDictionaryEntry: shared,
  deleteDictionaryEntry: shared,

  // For SYSTEM users only
  readServerInfo: shared,
  listLogNames: shared,
  readLog: shared,
}
