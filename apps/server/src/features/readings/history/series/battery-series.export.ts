import { batterySeriesKeys, compartmentFields } from '@voltkeep/contract'
import type { Sheet } from '../../../../platform/files/sheets/spreadsheet.ts'
import { type SeriesRow, statisticsSheet, valuesSheet } from './series.export.ts'

/** What the readings say of a moment or an hour, and where the battery was. */
export interface PlacedRow extends SeriesRow {
  deviceCode: string
  compartment: number
}

/** Every value kept, or the hours. */
export function batterySheet(isValues: boolean): Sheet<PlacedRow> {
  const readings = batterySeriesKeys.map((key) => compartmentFields[key])
  const { columns } = isValues ? valuesSheet(readings) : statisticsSheet(readings)
  const [time, ...others] = columns
  return {
    name: '电池',
    columns: [
      ...(time ? [time] : []),
      { title: '设备编号', width: 20, cell: ({ deviceCode }) => deviceCode },
      { title: '仓位', width: 8, cell: ({ compartment }) => compartment },
      ...others,
    ],
  }
}
