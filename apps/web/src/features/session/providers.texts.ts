// The words of signing in by the company's account: the buttons of the sign-in page, and what administrators keep.
import { texts } from '../../lib/texts/index.ts'

export const companyTexts = {
  by: (name: string) => `使用${name}登录`,
  going: '正在前往…',
  finishing: '正在登录…',
}

export const providerTexts = {
  measure: '个',
  isOn: { 0: '停用', 1: '启用' },
  fields: {
    name: '名称',
    issuer: '颁发者地址',
    clientId: '客户端 ID',
    clientSecret: '客户端密钥',
    scopes: '授权范围',
    rules: '允许登录',
    isEnabled: '启用',
    returnAddress: '回调地址',
    users: '已登录用户',
    createTime: '创建时间',
    state: '状态',
  },
  unit: (count: string) => `${count} 人`,
  ruleCount: (count: number) => `${count} 条规则`,
  add: '新增企业登录',
  edit: '编辑',
  editTitle: (name: string) => `编辑企业登录 ${name}`,
  empty: '还没有企业登录',
  emptyHint: '接入企业的统一身份认证（OpenID Connect），员工用企业账号登录；密码登录始终保留。',
  emptyFiltered: '没有符合条件的企业登录',
  hints: {
    name: '显示在登录页的按钮上，如“公司账号”。',
    issuer: '身份提供方的 Issuer，如 https://id.example.com。',
    secretKept: '不填则保持不变；更换颁发者或客户端时须重新输入',
    returnAddress: (address: string) => `请在身份提供方登记回调地址 ${address}`,
  },
  rules: {
    title: (n: number) => `规则 ${n}`,
    hint: '按顺序取第一条匹配的规则，每次登录时更新其角色和组织；没有匹配的不能登录。“*”匹配任意取值；邮箱须经验证。',
    claim: '声明，如 groups',
    value: '取值，如 运维部',
    roles: '角色',
    organization: '组织',
    add: '添加规则',
    remove: '删除',
  },
  remove: {
    ...texts.removal,
    title: '删除企业登录',
    ask: (name: string) => `将删除企业登录“${name}”。`,
    warn: '通过它登录过的用户保留账号，但不能再以此方式登录。',
  },
}
