// The English of what the console says outside of its tables of texts.

export const sentencesInEnglish: Readonly<Record<string, string>> = {
  '{0} 至 {1}': '{0} to {1}',
  范围: 'Scope',
  时长: 'Duration',
  电气: 'Electrical',
  温湿度: 'Climate',
  通信: 'Communication',
  其他: 'Other',
  微信: 'WeChat',
  '{0} 等 {1} 台': '{0} … {1} in all',
  '{0}号仓': 'compartment {0}',
  本次告警: 'this alarm',
  时间: 'Time',
  周日: 'Sun',
  周一: 'Mon',
  周二: 'Tue',
  周三: 'Wed',
  周四: 'Thu',
  周五: 'Fri',
  周六: 'Sat',
}
