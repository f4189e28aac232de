import { describeParameterValue, parameterName } from '@voltkeep/contract'

/** A value that a device reports in place of the one that it was told. */
export interface Mismatch {
  id: string
  value: string
  reported: string
}

/** As long as a reason that a list can be filtered by. */
const longestText = 300

/** `仓位满电SOC：设备报告 60%，应为 62%` */
export function mismatchText(mismatches: readonly Mismatch[]): string {
  const text = mismatches
    .map(
      ({ id, value, reported }) =>
        `${parameterName(id)}：设备报告 ${describeParameterValue(id, reported)}，应为 ${describeParameterValue(id, value)}`,
    )
    .join('；')
  return text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
}
