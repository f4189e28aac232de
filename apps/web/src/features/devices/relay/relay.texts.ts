// The Chinese texts of a station that stays with another platform.
import { texts } from '../../../lib/texts/index.ts'

export const relayTexts = {
  title: '转发到原平台',
  none: '未设置。设置后由原平台控制，这里只观察。',
  observed: '仅观察，由原平台控制',
  states: {
    off: '已停用，由这里控制',
    waiting: '等待充电桩接入',
    connected: (time: string) => `已连接原平台（自 ${time}）`,
    away: '未连接原平台，正在重连',
  },
  fields: {
    state: '转发状态',
    url: '原平台地址',
    identity: '原平台中的标识',
    password: '原平台密码',
    ca: 'CA 证书',
    certificate: '客户端证书',
    key: '客户端私钥',
    isEnabled: '启用',
    lastError: '最近的错误',
  },
  error: (time: string, text: string) => `${time} ${text}`,
  add: '设置转发',
  edit: '修改转发',
  dialogTitle: (code: string) => `设备 ${code} 的转发`,
  intro:
    '充电桩接入这里，它说的话转给原平台，原平台的应答和命令转给它。启用后这里不能操作此设备；保存时充电桩断开重连。请在没有充电时启用。',
  urlHint: '以 wss:// 或 ws:// 开头，不含末尾的标识。',
  identityHint: '留空则用它在这里的标识。',
  passwordHint: 'Basic 认证的密码；原平台不要密码的，留空。',
  passwordKept: '已保存，留空不变；换到别的服务器时须重新输入。',
  tlsHint: 'PEM 文本；原平台使用公认的证书、不要求客户端证书的，留空。',
  tlsKept: '已保存，留空不变；换到别的服务器时须重新填写。',
  remove: {
    ...texts.removal,
    title: '取消转发',
    action: '取消转发',
    ask: (code: string) => `将取消设备 ${code} 的转发。`,
    warn: '充电桩断开重连后由这里控制，原平台不再收到它的数据。',
    done: '已取消转发',
    cancelled: '已保留转发',
  },
}
