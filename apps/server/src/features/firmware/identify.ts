/**
 * Identifies an uploaded file: its name by the convention, the header of its image, and the board in its name. A file
 * that cannot be identified is refused (400) with the reason, in terms of file names.
 */
import { type FieldProblem, packageNameConvention, packageNameExample } from '@voltkeep/contract'
import type { Board } from '../boards/index.ts'
import { imageHeaderBytes, readImageHeader } from './image-header.ts'
import { isPartName, type PackageName, parsePackageName, partCodesOf, splitsOf } from './package-name.ts'

export { imageHeaderBytes }

/** What the file itself says, before the boards are looked up. */
export type Named = PackageName | { problem: string }

/** `beginning`: the first `imageHeaderBytes` bytes of the file, or all that it has. */
export function readPackageFile(fileName: string, beginning: Uint8Array): Named {
  if (beginning.length === 0) return { problem: '文件是空的，请重新选择' }
  const name = parsePackageName(fileName)
  if (!name) {
    return { problem: `文件名应为 ${packageNameConvention}（R 正式版，T 测试版），如 ${packageNameExample}` }
  }
  const header = readImageHeader(beginning)
  if (header === null) return name
  if (header === 'truncated') return { problem: '固件文件不完整：镜像头部被截断' }
  if (header.major === name.major && header.minor === name.minor) return name
  const said = header.version === '' ? '为空' : `为 ${header.version}`
  return {
    problem: `文件名中的版本为 ${name.major}.${name.minor}，${header.format} 镜像头部的版本${said}，两者不一致`,
  }
}

/** Which of these boards the file is for. `knownParts` are the part type codes that the name may contain. */
export function boardOf(
  { head }: PackageName,
  boards: readonly Board[],
  knownParts: ReadonlySet<string>,
): Board | { problem: string } {
  const splits = splitsOf(head)
  const found = splits.flatMap((split) =>
    boards.filter(({ pcbCode }) => pcbCode === split.pcbCode).map((board) => ({ ...split, board })),
  )
  const right = found.find(({ partName, board }) => isPartName(partName, board.partType))
  if (right) return right.board
  const [other] = found
  if (other) {
    const { partName, board } = other
    return {
      problem: `文件名中的部件 ${partName} 与板卡 ${board.pcbCode} 的部件 ${board.partType} 不一致`,
    }
  }
  const likely =
    splits.find(({ partName }) => partCodesOf(partName).some((code) => knownParts.has(code))) ?? splits.at(-1)
  return { problem: `板卡 ${likely?.pcbCode} 不存在，请先登记板卡` }
}

/** The fields of the upload's answer that a form sends back. */
export interface FileFields {
  pcbCode: string
  partType: string
  version: string
  fileName?: string | undefined
  md5?: string | undefined
  sha256?: string | undefined
  fileSize?: number | undefined
  equipTypeId?: string | undefined
  hwVersion?: string | undefined
  mcuNum?: number | undefined
  isRelease?: 0 | 1 | undefined
  fgRelease?: 0 | 1 | undefined
}

/** The same fields, read from the file. */
export interface Facts {
  pcbCode: string
  partType: string
  version: string
  fileName: string
  md5: string
  sha256: string
  fileSize: number
  equipTypeId: number
  hwVersion: string | null
  mcuNum: number | null
  isRelease: boolean
}

/** The fields that differ from the file. A field that was not sent counts as equal. */
export function tamperedFields(form: FileFields, facts: Facts): FieldProblem[] {
  const release = facts.isRelease ? 1 : 0
  const compared: [field: keyof FileFields, isRight: boolean, fact: string | number][] = [
    ['pcbCode', form.pcbCode === facts.pcbCode, facts.pcbCode],
    ['partType', isPartName(form.partType, facts.partType), facts.partType],
    ['version', form.version === facts.version, facts.version],
    ['fileName', form.fileName === facts.fileName, facts.fileName],
    ['md5', form.md5?.toLowerCase() === facts.md5, facts.md5],
    ['sha256', form.sha256?.toLowerCase() === facts.sha256, facts.sha256],
    ['fileSize', form.fileSize === facts.fileSize, facts.fileSize],
    ['equipTypeId', form.equipTypeId === String(facts.equipTypeId), facts.equipTypeId],
    ['hwVersion', form.hwVersion === facts.hwVersion, facts.hwVersion ?? '无'],
    // 0 and null both say that there is none.
    ['mcuNum', (form.mcuNum || null) === facts.mcuNum, facts.mcuNum ?? '无'],
    ['isRelease', form.isRelease === release, release],
    ['fgRelease', form.fgRelease === release, release],
  ]
  return compared
    .filter(([field, isRight]) => form[field] !== undefined && !isRight)
    .map(([field, , fact]) => ({ field, message: `与上传的文件不一致，应为 ${fact}` }))
}
