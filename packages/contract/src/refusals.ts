/**
 * Every refusal the product knows: its number on the wire and its Chinese text. A service throws
 * `refuse('deviceNotFound')`; the HTTP status is the number, save that the session numbers
 * (50008, 50012, 50014) travel as HTTP 401.
 */
export const refusals = {
  badInput: [400, '请求参数有误'],
  wrongCredentials: [400, '用户名或密码错误'],
  wrongOldPassword: [400, '原密码错误'],
  notSignedIn: [401, '请先登录'],
  tokenUnknown: [50008, '登录凭证无效，请重新登录'],
  sessionEnded: [50012, '登录已被终止，请重新登录'],
  sessionExpired: [50014, '登录已过期，请重新登录'],
  notPermitted: [403, '没有操作权限'],
  mustChangePassword: [403, '首次登录请先修改密码'],
  cannotGrant: [403, '不能授予自己没有的权限'],
  notFound: [404, '接口不存在'],
  deviceNotFound: [404, '设备不存在'],
  alarmNotFound: [404, '告警不存在'],
  operatorNotFound: [404, '运营商不存在'],
  organizationNotFound: [404, '组织不存在'],
  modelNotFound: [404, '设备型号不存在'],
  regionNotFound: [404, '地区不存在'],
  equipTypeMissing: [404, '设备类型不存在'],
  downloadAddressMissing: [404, '下载地址不存在'],
  deviceCodeTaken: [409, '设备编号已存在'],
  alarmAlreadyRecovered: [409, '告警已恢复'],
  deviceInUse: [409, '设备存在关联数据，不能删除'],
  conflict: [409, '数据已被他人修改，请刷新后重试'],
  bodyTooLarge: [413, '请求内容过大'],
  wrongMediaType: [415, '不支持的内容类型'],
  tooManyTries: [429, '登录失败次数过多，请15分钟后再试'],
  internal: [500, '服务器内部错误'],
  databaseAway: [503, '数据库暂时不可用，请稍后重试'],
  brokerAway: [503, '设备接入服务暂时不可用，请稍后重试'],
} as const satisfies Record<string, readonly [number, string]>

export type RefusalName = keyof typeof refusals
