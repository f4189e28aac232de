// The Chinese texts of 个人设置.
export const settingsTexts = {
  title: '个人设置',
  theme: { name: '外观', hint: '只在本浏览器生效' },
  language: '语言',
  density: { name: '列表行高' },
  notice: '告警提醒',
  contacts: {
    name: '通知方式',
    hint: '告警通知按人员、角色或值班发送时，用这里的地址通知您。',
    none: '还没有可用的通知渠道，请联系管理员。',
    placeholders: {
      mail: '邮箱',
      feishu: '飞书 Open ID（ou_ 开头）或 User ID',
      mobile: '手机号，在群里 @ 您',
    },
    save: '保存',
    remove: '删除',
  },
  password: { name: '密码' },
}
