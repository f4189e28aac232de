import { demoOperators } from './organizations.ts'

/** One virtual device: the same for the same number, however many there are. */
export interface DemoDevice {
  code: string
  name: string
  operatorCode: string
  cityCode: string
  modelCode: string
  /** Which of its city's districts, taken modulo their number. */
  districtNumber: number
  address: string
  businessStatus: 1 | 2 | 3
}

/** Swap cabinets for the most part; the figures are shares out of ten. */
const kinds: readonly { prefix: string; share: number; name: string; modelCodes: readonly string[] }[] = [
  { prefix: 'EC', share: 6, name: '换电柜', modelCodes: ['VK-EC08', 'VK-EC12', 'VK-EC12', 'VK-EC16'] },
  { prefix: 'CC', share: 1, name: '充电柜', modelCodes: ['VK-CC10'] },
  { prefix: 'BT', share: 2, name: '电池', modelCodes: ['VK-B4824', 'VK-B6030', 'VK-B6030', 'VK-B7245'] },
  { prefix: 'ES', share: 1, name: '储能', modelCodes: ['VK-S05', 'VK-S10', 'VK-S215'] },
]
const kindOfTen = kinds.flatMap((kind) => Array(kind.share).fill(kind) as (typeof kinds)[number][])

const streets = [
  '人民路',
  '建设大道',
  '科技路',
  '中山路',
  '解放路',
  '迎宾大道',
  '文化路',
  '创业街',
  '滨河路',
  '和平路',
]
const sites = [
  '地铁站口',
  '便利店旁',
  '购物中心东门',
  '外卖骑手驿站',
  '产业园停车场',
  '菜市场南侧',
  '写字楼地下一层',
  '社区服务中心',
  '快递网点',
  '加油站内',
]

export function demoDevice(number: number): DemoDevice {
  const draw = drawsOf(number)
  const kind = pick(kindOfTen, draw())
  const owner = pick(demoOperators, draw())
  const street = pick(streets, draw())
  const site = pick(sites, draw())
  const status = draw()
  return {
    code: `${kind.prefix}${24 + (number % 3)}${String(1 + (number % 12)).padStart(2, '0')}${String(number).padStart(6, '0')}`,
    name: `${street}${site}${kind.name}`,
    operatorCode: owner.code,
    cityCode: owner.cityCode,
    modelCode: pick(kind.modelCodes, draw()),
    districtNumber: Math.floor(draw() * 1_000),
    address: `${street}${1 + Math.floor(draw() * 300)}号${site}`,
    businessStatus: status < 0.92 ? 1 : status < 0.97 ? 3 : 2,
  }
}

function pick<T>(list: readonly T[], draw: number): T {
  return list[Math.floor(draw * list.length)] as T
}

/** Numbers in [0, 1) that look random and are the same for the same seed (mulberry32). */
function drawsOf(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
