import type { RefusalName } from '@voltkeep/contract'

/**
 * Why a file that somebody sent is not read: a refusal's name and a Chinese sentence. It is no `Refusal`, since it is
 * thrown in a worker, which sends both on and loads as little as it can.
 */
export class UnreadableSheet extends Error {
  readonly refusal: Extract<RefusalName, 'badInput' | 'wrongMediaType'>

  constructor(message: string, refusal: UnreadableSheet['refusal'] = 'badInput') {
    super(message)
    this.refusal = refusal
  }
}

export const emptyFile = () => new UnreadableSheet('文件是空的')
export const brokenFile = () => new UnreadableSheet('文件已损坏，或不是有效的 Excel 文件')
export const tooMuchContent = () => new UnreadableSheet('文件内容过多，请拆分后再上传')
export const oddStructure = () =>
  new UnreadableSheet('文件结构异常（嵌套过深或标签过长），请用 Excel 或 WPS 另存后再上传')
export const wrongType = (message: string) => new UnreadableSheet(message, 'wrongMediaType')
