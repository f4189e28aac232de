/** One ALARM entry of the dictionary with what its bits (or its values) mean per family of devices. */
export interface AlarmSemaphore {
  code: string
  name: string
  note: string
  /** 1 critical, 2 major, 3 minor, 4 warning. */
  level: 1 | 2 | 3 | 4
  analysisType: 'BIT' | 'VALUE'
  /** Of fire, heat or smoke. */
  isFire?: true
  /** EQUIP_CLASSIFY -> bit number (or value) -> name. A list counts from bit 0. */
  definitions: Partial<Record<'EC' | 'BAT' | 'ESS', readonly string[] | Record<number, string>>>
}

/** `count` bits, numbered for people from 1. */
const numbered = (count: number, nameOf: (number: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index + 1))

// Codes: 0111 cabinet, 0112 its compartments and chargers, 0121 battery, 0131 energy storage.

const cabinet: AlarmSemaphore[] = [
  {
    code: '01110001',
    name: '柜体通信异常',
    note: '主控与柜内各部件及平台之间的通信',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      EC: [
        '主控与平台通信中断',
        '主控与仓控通信中断',
        '主控与电源模块通信中断',
        '主控与消防主机通信中断',
        '主控与电表通信中断',
        '主控与显示屏通信中断',
        '4G模块异常',
        'SIM卡异常',
      ],
    },
  },
  {
    code: '01110002',
    name: '烟感告警',
    note: '柜内烟雾探测',
    level: 1,
    analysisType: 'BIT',
    isFire: true,
    definitions: {
      EC: ['柜顶烟感触发', '柜底烟感触发', '电源仓烟感触发', '烟感探头故障'],
      ESS: ['电池舱烟感触发', '电气舱烟感触发', '烟感探头故障', '可燃气体浓度超限'],
    },
  },
  {
    code: '01110003',
    name: '水浸告警',
    note: '柜内水浸探测',
    level: 1,
    analysisType: 'BIT',
    definitions: {
      EC: ['柜底水浸', '电源仓水浸', '进线仓水浸', '水浸传感器故障'],
      ESS: ['电池舱水浸', '电气舱水浸', '液冷管路泄漏', '水浸传感器故障'],
    },
  },
  {
    code: '01110004',
    name: '消防告警',
    note: '消防主机与灭火装置',
    level: 1,
    analysisType: 'BIT',
    isFire: true,
    definitions: {
      EC: [
        '消防已启动',
        '灭火器压力低',
        '灭火器未在位',
        '消防主机故障',
        '温感触发',
        '手动报警按钮按下',
        '气溶胶喷发反馈',
        '消防电源异常',
      ],
      ESS: [
        '消防已启动',
        '气瓶压力低',
        '消防主机故障',
        '温感触发',
        '手动报警按钮按下',
        '气体喷洒反馈',
        '声光报警器故障',
        '泄压口未关闭',
      ],
    },
  },
  {
    code: '01110005',
    name: '电网异常',
    note: '交流输入侧',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      EC: [
        '输入过压',
        '输入欠压',
        '输入缺相',
        '频率异常',
        '市电停电',
        '漏电保护动作',
        '防雷器失效',
        '输入过流',
      ],
      ESS: [
        '电网过压',
        '电网欠压',
        '电网过频',
        '电网欠频',
        '电网缺相',
        '相序错误',
        '三相不平衡',
        '孤岛保护动作',
      ],
    },
  },
  {
    code: '01110006',
    name: '柜内温度异常',
    note: '柜体环境温度',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      EC: ['柜内过温', '柜内低温', '电源仓过温', '柜内温度传感器故障', '电源仓温度传感器故障'],
    },
  },
  {
    code: '01110007',
    name: '风扇故障',
    note: '散热风扇转速反馈',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      EC: numbered(8, (n) => `${n}号风扇故障`),
      ESS: numbered(4, (n) => `${n}号风机故障`),
    },
  },
  {
    code: '01110008',
    name: '柜体防护异常',
    note: '维护门与柜体姿态',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      EC: ['前维护门打开', '后维护门打开', '电源仓门打开', '非法开门', '柜体震动', '柜体倾斜'],
      ESS: ['电池舱门打开', '电气舱门打开', '急停按钮按下', '门禁故障'],
    },
  },
  {
    code: '01110009',
    name: '电表异常',
    note: '计量电表',
    level: 4,
    analysisType: 'BIT',
    definitions: { EC: ['电表通信中断', '电表读数异常', '电表时钟异常', '电量计量跳变'] },
  },
  {
    code: '01110010',
    name: '主控自检异常',
    note: '主控板上电与定时自检的结果码',
    level: 3,
    analysisType: 'VALUE',
    definitions: {
      EC: {
        1: '存储器读写异常',
        2: '时钟异常',
        3: '看门狗复位',
        4: '固件校验失败',
        5: '配置丢失',
        6: '扩展IO异常',
      },
    },
  },
]

const compartments: AlarmSemaphore[] = [
  {
    code: '01120001',
    name: '仓门异常',
    note: '仓门状态与控制不一致，每位对应一个仓位',
    level: 3,
    analysisType: 'BIT',
    definitions: { EC: numbered(16, (n) => `${n}号仓门异常`) },
  },
  {
    code: '01120002',
    name: '仓门锁反馈异常',
    note: '门锁反馈信号与门锁动作不一致，每位对应一个仓位',
    level: 3,
    analysisType: 'BIT',
    definitions: { EC: numbered(16, (n) => `${n}号仓门锁反馈异常`) },
  },
  {
    code: '01120003',
    name: '仓位过温',
    note: '仓位温度超过过温点，每位对应一个仓位',
    level: 1,
    analysisType: 'BIT',
    isFire: true,
    definitions: { EC: numbered(16, (n) => `${n}号仓位过温`) },
  },
  {
    code: '01120004',
    name: '仓位电池在位异常',
    note: '在位反馈与库存记录不一致，每位对应一个仓位',
    level: 3,
    analysisType: 'BIT',
    definitions: { EC: numbered(16, (n) => `${n}号仓位电池在位异常`) },
  },
  {
    code: '01120005',
    name: '充电模块故障',
    note: '每位对应一个充电模块',
    level: 2,
    analysisType: 'BIT',
    definitions: { EC: numbered(16, (n) => `${n}号充电模块故障`) },
  },
  {
    code: '01120006',
    name: '充电模块通信中断',
    note: '每位对应一个充电模块',
    level: 2,
    analysisType: 'BIT',
    definitions: { EC: numbered(16, (n) => `${n}号充电模块通信中断`) },
  },
  {
    code: '01120007',
    name: '仓控板异常',
    note: '仓控板自检与供电',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      EC: ['仓控板供电异常', '仓控板复位', '门锁驱动异常', '指示灯驱动异常', '温度采样异常', '地址冲突'],
    },
  },
  {
    code: '01120008',
    name: '充电过程异常',
    note: '充电中止的原因码',
    level: 2,
    analysisType: 'VALUE',
    definitions: {
      EC: {
        1: '充电超时',
        2: '充电电流异常',
        3: '预充失败',
        4: '绝缘检测失败',
        5: '电池身份无法识别',
        6: '电池拒绝充电',
        7: '充电接触器粘连',
      },
    },
  },
]

const battery: AlarmSemaphore[] = [
  {
    code: '01210001',
    name: '电池过温',
    note: '电芯与功率器件温度',
    level: 1,
    analysisType: 'BIT',
    isFire: true,
    definitions: {
      BAT: [
        '充电过温告警',
        '充电过温保护',
        '放电过温告警',
        '放电过温保护',
        'MOS过温保护',
        '电芯温差过大',
        '温度传感器故障',
        '热失控预警',
      ],
      ESS: ['电芯过温告警', '电芯过温保护', '电芯温差过大', '极柱过温', '热失控预警'],
    },
  },
  {
    code: '01210002',
    name: '电池低温',
    note: '电芯温度',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      BAT: ['充电低温告警', '充电低温保护', '放电低温告警', '放电低温保护'],
      ESS: ['电芯低温告警', '电芯低温保护', '加热膜故障', '加热超时'],
    },
  },
  {
    code: '01210003',
    name: '电池过压',
    note: '单体与总压',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      BAT: ['单体过压告警', '单体过压保护', '总压过压告警', '总压过压保护', '充电器电压过高'],
      ESS: ['单体过压告警', '单体过压保护', '簇电压过压告警', '簇电压过压保护'],
    },
  },
  {
    code: '01210004',
    name: '电池欠压',
    note: '单体与总压',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      BAT: ['单体欠压告警', '单体欠压保护', '总压欠压告警', '总压欠压保护', '深度放电'],
      ESS: ['单体欠压告警', '单体欠压保护', '簇电压欠压告警', '簇电压欠压保护'],
    },
  },
  {
    code: '01210005',
    name: '电池过流',
    note: '充放电电流',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      BAT: ['充电过流告警', '充电过流保护', '放电过流告警', '放电过流保护', '短路保护', '电流传感器故障'],
      ESS: ['充电过流告警', '充电过流保护', '放电过流告警', '放电过流保护', '簇间环流过大'],
    },
  },
  {
    code: '01210006',
    name: 'BMS通讯中断',
    note: '换电柜按仓位逐位上报',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      EC: numbered(16, (n) => `${n}号仓BMS通讯中断`),
      BAT: ['BMS与仓控通讯中断', 'BMS与采样芯片通讯中断', '蓝牙模块异常', '4G模块异常'],
      ESS: ['BMS与EMS通讯中断', 'BMS与PCS通讯中断', '主从BMU通讯中断', '采样芯片通讯中断'],
    },
  },
  {
    code: '01210007',
    name: 'BMS故障',
    note: 'BMS自检',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      BAT: [
        '充电MOS故障',
        '放电MOS故障',
        '预充电路故障',
        '采样线断线',
        '存储器异常',
        '均衡电路故障',
        '保险丝熔断',
        '绝缘电阻过低',
      ],
      ESS: ['主正接触器粘连', '主负接触器粘连', '预充失败', '采样线断线', '均衡电路故障', '熔断器熔断'],
    },
  },
  {
    code: '01210008',
    name: '电芯一致性异常',
    note: '静置压差的分级',
    level: 3,
    analysisType: 'VALUE',
    definitions: {
      BAT: { 1: '压差大于50mV', 2: '压差大于100mV', 3: '压差大于200mV', 4: '压差大于300mV，建议停用' },
      ESS: { 1: '压差大于30mV', 2: '压差大于60mV', 3: '压差大于100mV' },
    },
  },
  {
    code: '01210009',
    name: '电量过低',
    note: '剩余电量的分级',
    level: 4,
    analysisType: 'VALUE',
    definitions: {
      BAT: { 1: 'SOC低于20%', 2: 'SOC低于10%', 3: 'SOC低于5%' },
      ESS: { 1: 'SOC低于15%', 2: 'SOC低于10%', 3: 'SOC低于5%' },
    },
  },
  {
    code: '01210010',
    name: '电池防盗告警',
    note: '电池位置与外壳',
    level: 3,
    analysisType: 'BIT',
    definitions: { BAT: ['非法移动', '超出电子围栏', '外壳被打开', '定位天线断开', '长时间未归还'] },
  },
]

const energyStorage: AlarmSemaphore[] = [
  {
    code: '01310001',
    name: '逆变器故障',
    note: '储能变流器功率部分',
    level: 2,
    analysisType: 'BIT',
    definitions: {
      ESS: [
        '直流母线过压',
        '直流母线欠压',
        '逆变过流',
        '模块过温',
        '驱动故障',
        '辅助电源异常',
        '直流分量超限',
        '继电器粘连',
      ],
    },
  },
  {
    code: '01310002',
    name: '光伏输入异常',
    note: 'MPPT各路输入',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      ESS: ['PV1过压', 'PV1反接', 'PV1过流', 'PV2过压', 'PV2反接', 'PV2过流', 'MPPT通讯中断'],
    },
  },
  {
    code: '01310003',
    name: '绝缘异常',
    note: '直流侧对地绝缘',
    level: 1,
    analysisType: 'BIT',
    definitions: { ESS: ['正极对地绝缘低', '负极对地绝缘低', '绝缘检测模块故障', '漏电流超限'] },
  },
  {
    code: '01310004',
    name: '温控系统异常',
    note: '空调或液冷机组',
    level: 3,
    analysisType: 'BIT',
    definitions: {
      ESS: ['空调故障', '压缩机高压保护', '压缩机低压保护', '液冷泵故障', '冷却液液位低', '湿度过高'],
    },
  },
  {
    code: '01310005',
    name: '负载侧异常',
    note: '离网输出',
    level: 2,
    analysisType: 'BIT',
    definitions: { ESS: ['输出过载', '输出短路', '输出电压异常', '旁路开关故障'] },
  },
  {
    code: '01310006',
    name: '能量管理异常',
    note: 'EMS给出的状态码',
    level: 4,
    analysisType: 'VALUE',
    definitions: {
      ESS: { 1: '调度指令超时', 2: '计划曲线缺失', 3: '防逆流动作', 4: '需量超限', 5: '时间未同步' },
    },
  },
]

export const alarmSemaphores: readonly AlarmSemaphore[] = [
  ...cabinet,
  ...compartments,
  ...battery,
  ...energyStorage,
]
