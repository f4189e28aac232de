// The English of what the console says outside of its tables of texts.

export const sentencesInEnglish: Readonly<Record<string, string>> = {
  '{0} 至 {1}': '{0} to {1}',
  范围: 'Scope',
  时长: 'Duration',
  电气: 'Electrical',
  温湿度: 'Climate',
  通信: 'Communication',
  其他: 'Other',
  日一二三四五六: 'SMTWTFS',
  '周{0}': '{0}',
  微信: 'WeChat',
  '{0} 等 {1} 台': '{0} … {1} in all',
  '{0} 号仓': 'compartment {0}',
  本次告警: 'this alarm',
  时间: 'Time',
}
