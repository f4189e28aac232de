import { formatDateTime, type LogFileType } from '@voltkeep/contract'

/** The file name of a download: `EC2024010001_运行日志_20261120-20261122.txt`. */
export function logFileName(log: {
  equipCode: string
  levelName: string
  fileType: LogFileType
  startTime: Date
  endTime: Date
}): string {
  const day = (at: Date) => formatDateTime(at).slice(0, 10).replaceAll('-', '')
  const [first, last] = [day(log.startTime), day(log.endTime)]
  // A level's name is free text; a file name is not.
  const level = log.levelName.replace(/[\\/:*?"<>|\s]+/g, '_')
  return `${log.equipCode}_${level}_${first === last ? first : `${first}-${last}`}.${log.fileType}`
}
