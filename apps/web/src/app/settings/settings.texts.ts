// The Chinese texts of 个人设置.
export const settingsTexts = {
  title: '个人设置',
  theme: { name: '外观', hint: '只在本浏览器生效' },
  density: { name: '列表行高' },
  notice: '告警提醒',
  password: { name: '密码' },
}
