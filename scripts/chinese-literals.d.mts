export interface ChineseLiteral {
  key: string
  start: number
  end: number
  inner: [number, number][]
  isPaired: boolean
  isSql: boolean
  isElement?: boolean
}
export function chineseLiterals(program: unknown): ChineseLiteral[]
export function inEnglish(
  code: string,
  program: unknown,
  english: Readonly<Record<string, string>>,
): string | null
