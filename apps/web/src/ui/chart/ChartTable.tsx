import { TableBox } from '../list/TableBox.tsx'
import styles from './Chart.module.css'
import { type ChartSeries, decimalsOf, tableOf, valueText } from './chart.data.ts'
import { wireTime } from './chart.ranges.ts'
import { chartTexts as words } from './chart.texts.ts'
import { curveText, hasBand } from './chart.words.ts'

/** The same as the curves: a row a time, newest first; of a bucket its mean, with the least and the greatest. */
export function ChartTable({ title, series }: { title: string; series: readonly ChartSeries[] }) {
  const rows = tableOf(series)
  /** Of a column all values have as many, so that their points stand below each other. */
  const decimals = series.map(decimalsOf)
  if (rows.length === 0) return <p className={styles.none}>{words.empty}</p>
  return (
    <TableBox>
      <table className={styles.table} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            {series.map(({ key, name, unit }) => (
              <th key={key} scope="col">
                {name}
                {unit && <span className={styles.unit}>{unit}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, points }) => (
            <tr key={time}>
              <th scope="row">{wireTime(time)}</th>
              {series.map((curve, at) => {
                const point = points[at]
                return (
                  <td key={curve.key}>
                    {point ? curveText(curve, point[3], decimals[at]) : '—'}
                    {point && hasBand(curve, point) && (
                      <span className={styles.band}>
                        {words.band(valueText(point[1], decimals[at]), valueText(point[2], decimals[at]))}
                      </span>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}
