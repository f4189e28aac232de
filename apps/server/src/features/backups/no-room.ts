import { spoken } from '../../platform/process/sentences.ts'

/** A backup would take what intake needs, see DISK_STOP_PERCENT; `lastBytes`: of the last one, where it was not begun. */
export class NoRoomForBackup extends Error {
  constructor(directory: string, lastBytes: number | null = null) {
    const megabytes = ((lastBytes ?? 0) / 1024 ** 2).toFixed(1)
    const why =
      lastBytes === null
        ? {
            zh: '备份中止，写了一半的文件已删除',
            en: 'the backup was given up, and what was written of it is gone',
          }
        : {
            zh: `未开始备份（上次为 ${megabytes} MB）`,
            en: `no backup was begun (the last one has ${megabytes} MB)`,
          }
    super(
      spoken({
        zh: `${directory} 所在磁盘空间不足：${why.zh}，为设备报文保留 DISK_STOP_PERCENT 和 DISK_STOP_FREE_GB 规定的空间；请腾出空间，或换一个磁盘`,
        en: `the disk of ${directory} has too little room: ${why.en}, to leave what DISK_STOP_PERCENT and DISK_STOP_FREE_GB say to device messages; make room, or choose another disk`,
      }),
    )
  }
}
