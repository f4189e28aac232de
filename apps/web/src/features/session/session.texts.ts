export const sessionTexts = {
  measure: '个',
  fields: {
    user: '用户',
    name: '姓名',
    nameHint: '姓名或登录名',
    organization: '所属组织',
    address: '登录地址',
    agent: '浏览器',
    createTime: '登录时间',
    seenTime: '最近活动',
  },
  current: '当前会话',
  unknownAgent: '未知客户端',
  end: {
    action: '强制下线',
    title: '强制下线',
    ask: (userName: string, address: string) => `将结束用户 ${userName} 在 ${address} 的登录。`,
    warn: '该用户须重新登录才能继续操作；如需阻止其登录，请停用该用户。',
  },
  empty: '没有在线用户',
  emptyFiltered: '没有符合条件的在线用户',
}
