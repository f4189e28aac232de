import type { TaskKind, TaskState } from '@voltkeep/contract/tasks'

export const taskTexts = {
  title: '我的任务',
  running: (count: number) => `我的任务：${count} 个进行中`,
  none: '最近 24 小时没有任务',
  noneHint:
    '批量处理和恢复告警、导入设备、提取日志、批量设置、升级、上传和导出会列在这里，离开页面不会中断。',
  failed: '任务未能读取',
  kinds: {
    alarmHandling: '批量处理告警',
    alarmRecovery: '批量恢复告警',
    approval: '须他人同意',
    deviceImport: '导入设备',
    logExtraction: '提取日志',
    parameterBatch: '批量设置',
    upgrade: '升级',
  } satisfies Record<TaskKind, string>,
  states: {
    running: '进行中',
    paused: '已暂停',
    done: '已完成',
    failed: '失败',
    cancelled: '已取消',
  } satisfies Record<TaskState, string>,
  partly: '部分失败',
  /** What is paused because it waits for somebody. */
  waits: { approval: '待同意', parameterBatch: '待继续' } as Partial<Record<TaskKind, string>>,
  units: {
    alarmHandling: '条',
    alarmRecovery: '条',
    approval: '项',
    deviceImport: '台',
    parameterBatch: '台',
    upgrade: '个部件',
  },
  count: (done: string, total: string, unit: string) => `${done} / ${total} ${unit}`,
  failedCount: (count: string) => `失败 ${count}`,
  skippedHandling: (count: string) => `${count} 条无需处理`,
  skippedAlarms: (count: string) => `${count} 条此前已恢复`,
  received: (bytes: string) => `已接收 ${bytes}`,
  downloading: '正在下载，关闭或刷新浏览器页面会中断',
  uploading: '正在上传，关闭或刷新浏览器页面会中断',
  processing: '正在处理',
  uploaded: '已上传，重新打开表单即可继续',
  sent: (bytes: string, ofBytes: string) => `${bytes} / ${ofBytes}`,
  retry: '重试',
  remove: '移除',
  cancel: '取消',
  ended: {
    done: (what: string) => `${what} 已完成`,
    failed: (what: string) => `${what} 失败`,
    cancelled: (what: string) => `${what} 已取消`,
    paused: (what: string, state: string, note: string | null) =>
      note === null ? `${what} ${state}` : `${what} ${state}：${note}`,
    goesOn: (what: string, note: string | null) => `${what} ${note ?? '已继续'}`,
  },
  secrets: {
    action: '重新生成密钥',
    title: '重新生成设备密钥',
    body: (file: string) =>
      `没有拿到“${file}”的结果文件时使用：为这次导入中从未接入的设备生成新密钥，旧密钥立即失效。`,
  },
}
