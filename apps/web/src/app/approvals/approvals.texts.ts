export const approvalButtonTexts = {
  waiting: (count: number) => `待我同意：${count} 项`,
}
