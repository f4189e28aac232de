// What the log and the server page say about the disk of DATA_DIR and that of the database.
import type { Sentence } from '../sentences.ts'
import type { DiskLevel, DiskSpace } from './disk-levels.ts'

export const databaseFull: Sentence = {
  zh: '数据库磁盘已满：设备报文暂停接收，设备会保留并重发',
  en: 'the disk of the database is full: device messages are not taken, devices keep them and send them again',
}
export const databaseFullNow: Sentence = {
  zh: `${databaseFull.zh}；空间足够后自动恢复`,
  en: `${databaseFull.en}; all goes on by itself when there is room`,
}
export const databaseRoomy: Sentence = {
  zh: '数据库磁盘空间已恢复：继续接收设备报文',
  en: 'the disk of the database has room again: device messages are taken again',
}

const none: Sentence = { zh: '', en: '' }

export function diskSentences({ dataDir, holdsDatabase }: { dataDir: string; holdsDatabase: boolean }) {
  const uploads: Sentence = { zh: '上传', en: 'uploads' }
  const what: Sentence = holdsDatabase ? { zh: '设备报文和上传', en: 'device messages and uploads' } : uploads
  const noFiles: Sentence = {
    zh: `已停止上传和导出${holdsDatabase ? '，为设备报文留出空间' : ''}`,
    en: `uploads and exports are refused${holdsDatabase ? ', to leave room for device messages' : ''}`,
  }
  const remedy: Sentence = {
    zh: `请清理 ${dataDir} 所在的磁盘或扩容，空间足够后自动恢复`,
    en: `clean up or extend the disk of ${dataDir}; all goes on by itself when there is room`,
  }
  const kept: Sentence = holdsDatabase
    ? { zh: '，设备会保留报文并重发', en: ' (devices keep their messages and send them again)' }
    : none
  const intakeAgain: Sentence = holdsDatabase
    ? { zh: '继续接收设备报文，', en: 'device messages are taken again, ' }
    : none

  function lowOn(space: DiskSpace): Sentence {
    const { zh, en } = shown(space)
    return { zh: `磁盘空间不足（${zh}）`, en: `the disk is running out of space (${en})` }
  }

  /** Of a level that lasts; null while there is room. */
  function lasting(level: DiskLevel, space: DiskSpace): Sentence | null {
    if (level === 'roomy') return null
    const low = lowOn(space)
    if (level === 'low') return low
    if (level === 'tight') return { zh: `${low.zh}：${noFiles.zh}`, en: `${low.en}: ${noFiles.en}` }
    const { zh, en } = shown(space)
    return {
      zh: `磁盘将满（${zh}）：已停止接收${what.zh}`,
      en: `the disk is nearly full (${en}): ${what.en} are refused`,
    }
  }

  /** Of a level that has changed, and what follows from it. */
  function entered(former: DiskLevel, next: DiskLevel, space: DiskSpace): Sentence {
    const low = lowOn(space)
    if (next === 'full') {
      const full = lasting(next, space) ?? none
      return { zh: `${full.zh}${kept.zh}；${remedy.zh}`, en: `${full.en}${kept.en}; ${remedy.en}` }
    }
    if (next === 'tight') {
      const goesOn = former === 'full' ? intakeAgain : none
      return {
        zh: `${low.zh}：${goesOn.zh}${noFiles.zh}；${remedy.zh}`,
        en: `${low.en}: ${goesOn.en}${noFiles.en}; ${remedy.en}`,
      }
    }
    const { zh, en } = shown(space)
    const roomy: Sentence = { zh: `磁盘空间已恢复（${zh}）`, en: `the disk has room again (${en})` }
    if (former === 'full' || former === 'tight') {
      const again = former === 'full' ? what : uploads
      return { zh: `${roomy.zh}：继续接收${again.zh}`, en: `${roomy.en}: ${again.en} are taken again` }
    }
    if (next === 'roomy') return roomy
    return {
      zh: `${low.zh}：将满时会停止接收${what.zh}`,
      en: `${low.en}: when it is nearly full ${what.en} are refused`,
    }
  }

  return { lasting, entered }
}

const gigabyte = 1024 ** 3

function shown({ totalBytes, freeBytes }: DiskSpace): Sentence {
  const used = totalBytes === 0 ? 100 : Math.floor((1 - freeBytes / totalBytes) * 1000) / 10
  const free =
    freeBytes >= gigabyte
      ? `${(freeBytes / gigabyte).toFixed(1)} GB`
      : `${Math.floor(freeBytes / 1024 ** 2)} MB`
  return { zh: `已用 ${used}%，剩余 ${free}`, en: `${used}% used, ${free} free` }
}
