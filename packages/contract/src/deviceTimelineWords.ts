// The timeline of a device in words, for the page and for the file of it.
import { type RemoteAction, remoteActionNames } from './actions.ts'
import { handlingKindNames } from './alarmHandling.ts'
import type { TimelineEntry, TimelineKind } from './deviceTimeline.ts'

/** Names of the kinds, and words for their states. */
export const timelineKindNames: Record<TimelineKind, string> = {
  alarm: '告警',
  handling: '告警处理',
  event: '事件',
  connection: '连接',
  command: '命令',
  action: '远程操作',
  upgrade: '升级',
  batch: '批量设置',
  log: '日志提取',
  advertisement: '广告',
  operation: '操作',
}

const shared: Record<string, string> = {
  waiting: '等待中',
  sent: '已下发',
  succeeded: '成功',
  failed: '失败',
  refused: '被拒绝',
  skipped: '已跳过',
  cancelled: '已取消',
  expired: '超期',
}

const stateNames: Record<TimelineKind, Record<string, string>> = {
  alarm: { active: '告警中', recovered: '已恢复' },
  handling: handlingKindNames,
  event: { fault: '故障' },
  connection: { online: '上线', offline: '离线' },
  command: { ...shared, delivered: '已送达', answered: '已响应', finished: '已结束' },
  action: {
    ...shared,
    acknowledged: '已响应，等待确认',
    confirmed: '已确认',
    unconfirmed: '已响应，未确认',
    expired: '未响应',
    stopped: '已撤回',
  },
  upgrade: { ...shared, downloading: '下载中', installing: '安装中', timedOut: '超时' },
  batch: { ...shared, held: '待继续', confirming: '待确认', stopped: '已停止' },
  log: { ...shared, taken: '已受理', uploading: '上传中', done: '已完成' },
  advertisement: {
    ...shared,
    stored: '已存储',
    shown: '播放中',
    removing: '移除中',
    removed: '已移除',
    ended: '已结束',
  },
  operation: { done: '', refused: '未成功' },
}

const commandNames: Record<string, string> = {
  upgrade: '升级固件',
  setParameters: '设置参数',
  extractLog: '提取日志',
  advertise: '发布广告',
  withdraw: '撤下广告',
  action: '远程操作',
}

/** The entry's name and state in words. An unknown state is shown unchanged. */
export function timelineWords({
  kind,
  name,
  state,
  value,
}: Pick<TimelineEntry, 'kind' | 'name' | 'state' | 'value'>): { title: string; state: string } {
  const word = state === null ? '' : (stateNames[kind][state] ?? state)
  if (kind === 'connection') return { title: word, state: '' }
  if (kind === 'action') {
    const action = remoteActionNames[name as RemoteAction] ?? name ?? ''
    return { title: value === null ? action : `${action} ${value}号仓`, state: word }
  }
  // A device of a trial.
  if (kind === 'batch' && value !== null) return { title: `${name} · ${value}`, state: word }
  return { title: kind === 'command' ? (commandNames[name ?? ''] ?? name ?? '') : (name ?? ''), state: word }
}

/** Whether the state needs attention. */
export const isTimelineTrouble = ({ kind, state }: TimelineEntry) =>
  (kind === 'alarm' && state === 'active') ||
  (kind === 'event' && state === 'fault') ||
  ['failed', 'refused', 'timedOut', 'expired', 'unconfirmed'].includes(state ?? '')
