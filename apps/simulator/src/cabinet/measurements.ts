// What batteries that report on their own and energy storage measure. Everything follows from the time and from the
// device's own numbers, so that a curve is one over reports and restarts.
import type { ReportBody } from '../outbox.ts'
import type { Random } from '../random.ts'
import { chargingPace } from './cabinet.ts'

type Status = ReportBody<'status'>

const hourMs = 3_600_000
/** A ride of five hours, and two of charging. */
const ridingHours = 5
const chargingHours = 2

const noise = (random: Random) => random.next() * 2 - 1
const rounded = (value: number, digits = 1) => Math.round(value * 10 ** digits) / 10 ** digits

/** `own` gives a device the same numbers each time; `random` is the noise of its sensors. */
export function batteryStatus(nowMs: number, own: Random, random: Random): Status {
  const period = ridingHours + chargingHours
  const hours = (nowMs / hourMs) * chargingPace + own.next() * period
  const cycle = Math.floor(hours / period)
  const at = hours - cycle * period
  const isCharging = at >= ridingHours
  const soc = isCharging ? 15 + (80 * (at - ridingHours)) / chargingHours : 95 - (80 * at) / ridingHours
  const soh = own.between(84, 100)
  const amperes = isCharging ? 8 + 0.3 * noise(random) : -(7 + 3 * noise(random))
  return {
    status: {
      SOC: rounded(soc),
      SOH: soh,
      总电压: rounded(43.2 + 0.094 * soc + 0.06 * amperes),
      电流: rounded(amperes),
      最高电芯温度: rounded(27 + (isCharging ? 6 : 3) + noise(random)),
      最低电芯温度: rounded(26 + (isCharging ? 4 : 2) + noise(random)),
      电芯压差: Math.round(8 + (100 - soh) * 1.5 + 3 * noise(random)),
      循环次数: own.between(20, 900) + (cycle % 100),
      充电中: isCharging,
    },
  }
}

/** The charge of a storage over a day: hour → %. */
const storedByHour: readonly (readonly [hour: number, soc: number])[] = [
  [0, 45],
  [7, 20],
  [15, 95],
  [18, 95],
  [24, 45],
]

function storedAt(hour: number): number {
  const next = storedByHour.findIndex(([at]) => at > hour)
  const [toHour, to] = storedByHour[next] as readonly [number, number]
  const [fromHour, from] = storedByHour[next - 1] as readonly [number, number]
  return from + ((to - from) * (hour - fromHour)) / (toHour - fromHour)
}

export function storageStatus(nowMs: number, own: Random, random: Random): Status {
  const capacityKwh = own.pick([5, 10])
  const hour = (nowMs / hourMs + 8) % 24
  const soc = storedAt(hour)
  const gained = ((storedAt(Math.min(23.98, hour + 0.01)) - soc) * capacityKwh) / 100 / 0.01
  const sun = Math.max(0, Math.cos(((hour - 12.5) * Math.PI) / 12))
  const solar = sun ** 1.3 * capacityKwh * 0.35 * (1 + 0.05 * noise(random))
  const load =
    capacityKwh * (0.06 + 0.02 * Math.cos(((hour - 20) * Math.PI) / 12)) * (1 + 0.05 * noise(random))
  const isConnected = own.chance(0.9)
  return {
    status: {
      SOC: rounded(soc),
      SOH: own.between(90, 100),
      电池功率: rounded(gained, 2),
      光伏功率: rounded(solar, 2),
      负载功率: rounded(load, 2),
      电网功率: rounded(isConnected ? load + gained - solar : 0, 2),
      电网电压: rounded(isConnected ? 230 + 3 * noise(random) : 0),
      电网频率: rounded(isConnected ? 50 + 0.03 * noise(random) : 0, 2),
      电池舱温度: rounded(25 + 4 * sun + 0.4 * noise(random)),
      电池舱湿度: Math.round(48 + 4 * noise(random)),
      并网: isConnected,
      运行模式: gained > 0 ? '充电' : gained < 0 ? '放电' : '待机',
    },
  }
}
