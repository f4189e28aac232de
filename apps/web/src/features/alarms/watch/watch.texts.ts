// Texts of the watch for new critical alarms: it comes after the first rows of a page.
export const watchTexts = {
  one: '新的紧急告警',
  many: (count: string) => `${count} 条新的紧急告警`,
  open: '查看',
  title: (count: number, name: string) =>
    count > 1 ? `紧急告警 ${count} 条：${name} 等` : `紧急告警：${name}`,
  settings: {
    hint: '浏览其他页面或窗口在后台时，有新的紧急告警则提醒。',
    sound: '声音',
    desktop: '桌面通知',
    denied: '浏览器未允许桌面通知，请在网站设置中允许',
    insecure: '桌面通知和后台提醒需以 HTTPS 访问。',
  },
}
