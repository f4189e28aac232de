import type { Random } from '../random.ts'

/** Every trouble of a compartment. A compartment has one at most, for as long as the simulator runs. */
export const cabinetTroubles = {
  'door-sticks': '仓门打开后关不上',
  'compartment-fails': '仓位故障，不能使用',
  'charger-fails': '充电模块故障，不充电',
  'hot-battery': '充电时电池过热',
  'silent-sensor': '不上报温度',
  'bad-sensor': '上报不可信的温度',
  'claims-battery': '上报别的仓位的电池编号',
  'runs-out': '整柜市电中断，不再充电',
} as const
export type CabinetTroubleName = keyof typeof cabinetTroubles

/** Draws the trouble of a compartment by these shares. */
export const drawTrouble =
  (shares: Partial<Record<CabinetTroubleName, number>>, random: Random) =>
  (): CabinetTroubleName | undefined => {
    let rest = random.next()
    for (const [name, share] of Object.entries(shares)) {
      if (rest < share) return name as CabinetTroubleName
      rest -= share
    }
    return undefined
  }
