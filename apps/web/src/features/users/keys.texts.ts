import type { ApiKeyState } from '@voltkeep/contract/apiKeys'
import { texts } from '../../lib/texts/index.ts'

const states: Record<ApiKeyState, string> = { active: '有效', expired: '已过期', stopped: '创建人已停用' }

export const keyTexts = {
  measure: '个',
  tabs: { keys: '密钥', feed: '事件流' },
  states,
  fields: {
    name: '名称',
    nameHint: '密钥或创建人',
    maker: '创建人',
    organization: '所属组织',
    functions: '功能权限',
    sight: '数据权限',
    networks: '允许的网段',
    validDays: '有效期',
    state: '状态',
    secret: '密钥',
    expireTime: '到期时间',
    lastUsed: '最近使用',
  },
  choose: '请选择',
  add: '新增密钥',
  empty: '还没有 API 密钥',
  emptyHint: '为其他系统创建密钥，权限不会超过您本人。',
  emptyFiltered: '没有符合条件的密钥',
  functionCount: (count: number) => `${count} 项`,
  sightWords: {
    own: '与创建人相同',
    some: (kinds: string) => `限定${kinds}`,
    hidden: '无权查看',
    kinds: { O: '运营商', ET: '设备类型', R: '地区' },
  },
  anyNetwork: '不限',
  hint: (letters: string) => `…${letters}`,
  hints: {
    functions: '密钥只有所选功能，且不超过您当时拥有的功能。',
    organization: '只能看到该组织及下级组织的设备。',
    networks: '每行一个 IP 或网段，如 10.0.0.0/8；不填则不限。',
  },
  days: '天',
  sight: { all: '与我相同', chosen: '限定范围' },
  rotate: {
    action: '轮换',
    title: '轮换密钥',
    ask: (name: string) => `将为“${name}”生成新密钥。`,
    warn: (hours: number) => `原密钥 ${hours} 小时后失效，到期时间不变。`,
  },
  once: {
    title: 'API 密钥',
    warning: '密钥只显示这一次，请立即保存。',
    saved: '已保存',
    use: '调用方式',
    header: (secret: string) => `Authorization: Bearer ${secret}`,
    docs: '接口文档',
  },
  remove: {
    ...texts.removal,
    title: '吊销密钥',
    action: '吊销',
    done: '已吊销',
    ask: (name: string) => `将吊销密钥“${name}”。`,
    warn: '使用它的系统立即无法访问，它发起的未完成任务也会停止；不能恢复。',
  },
}
