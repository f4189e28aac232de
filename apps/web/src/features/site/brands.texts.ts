export interface Brand {
  name: string
  line: string
  about: string
  /** What is drawn beside the words. */
  drawing: 'cabinet' | 'storage'
  points: readonly { title: string; text: string }[]
}

export const asgoft: Brand = {
  name: 'ASGOFT',
  line: '两轮车换电基础设施',
  about: 'ASGOFT 为城市即时配送与出行提供换电柜与电池，由 Voltkeep 平台统一监控与运维。',
  drawing: 'cabinet',
  points: [
    { title: '换电柜', text: '八仓、十二仓与可拼接机型，逐仓温度与烟感监测，独立灭火。' },
    { title: '电池', text: '电池管理系统实时上报电量、温度与循环次数。' },
    { title: '运维', text: '远程升级、批量参数与日志提取，减少上站次数。' },
  ],
}

export const estolife: Brand = {
  name: 'ESTOLIFE',
  line: '家庭与工商业储能',
  about: 'ESTOLIFE 提供户用与工商业储能设备，充放电策略与安全状态由 Voltkeep 平台持续守护。',
  drawing: 'storage',
  points: [
    { title: '户用储能', text: '光伏优化器与逆变系统协同，停电自动切换。' },
    { title: '工商业储能', text: '柜级监控，电芯级告警，分级处置。' },
    { title: '安全', text: '消防、温控与绝缘状态全天候监测，异常即时告警。' },
  ],
}

export const eArk: Brand = {
  name: 'e-Ark',
  line: '智能换电柜',
  about: 'e-Ark 是面向城市街区的智能换电柜：占地小、可户外安装、断网可用，恢复后数据自动补报。',
  drawing: 'cabinet',
  points: [
    { title: '逐仓独立', text: '每仓独立充电、测温、门锁反馈与灭火，故障仓自动停用。' },
    { title: '一眼可辨', text: '七组指示灯显示可取、充电、故障等状态，颜色与闪烁可远程设置。' },
    { title: '可远程维护', text: '主控与仓控软件分级升级，失败自动回退，日志按需提取。' },
  ],
}
