// The cabinet of a device: what is wrong in it, its compartments at their places, and one of them in full.
import type { DeviceDetail as Device } from '@voltkeep/contract/devices'
import { type ReactNode, useRef } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { RelativeTime, useNow } from '../../../ui/time/RelativeTime.tsx'
import { deviceTexts } from '../devices.texts.ts'
import { BinDetail } from './BinDetail.tsx'
import { BinSign } from './BinSign.tsx'
import { Bins, type BinsHandle } from './Bins.tsx'
import styles from './Cabinet.module.css'
import { type Bin, countsOf, isReported, measures, troublesOf } from './cabinet.model.ts'
import { cabinetTexts as words } from './cabinet.texts.ts'
import { freshnessOf } from './freshness.ts'
import { Troubles } from './Troubles.tsx'
import { useActiveAlarms } from './useActiveAlarms.ts'
import { useCompartments } from './useCabinet.ts'

/** The open compartment and what is shown of all: in the address, so that a link shows the same. */
const CabinetSearch = z.object({
  bin: z.optional(z.string().check(z.regex(/^\d{1,2}$/))),
  show: z._default(z.enum(measures), 'soc'),
})

export function Cabinet({
  device,
  actionsOf,
}: {
  device: Device
  /** What can be done with a compartment. */
  actionsOf?: (bin: Bin) => ReactNode
}) {
  const query = useCompartments(device.id)
  const { mayRead: mayReadAlarms, ...alarms } = useActiveAlarms(device.id)
  const [{ bin: chosenText, show }, setState] = useUrlState(CabinetSearch)
  const bins = useRef<BinsHandle>(null)
  const now = useNow()
  const { compartments = [], columns = 1, reportTime = null } = query.data ?? {}
  const chosen = compartments.find(({ no }) => String(no) === chosenText)
  const choose = (no: number | undefined) => setState({ show, bin: no && String(no) }, { replace: true })
  const jump = (no: number) => {
    choose(no)
    bins.current?.focus(no)
  }
  const troubles = troublesOf(compartments)
  const placed = new Set(compartments.flatMap((bin) => bin.alarms.map(({ id }) => id)))
  const ofWhole = (alarms.data?.rows ?? []).filter(({ id }) => !placed.has(id))
  const freshness = freshnessOf({ device, reportTime, now })
  const isKnown = compartments.some(isReported)
  // Nothing is wrong is said only of what is known, and known to be so now.
  const isCalm =
    query.isSuccess &&
    alarms.isSuccess &&
    troubles.length + ofWhole.length === 0 &&
    freshness === 'fresh' &&
    (isKnown || compartments.length === 0)
  return (
    <DetailSection
      title={compartments.length > 0 ? words.title : deviceTexts.detail.alarms}
      aside={
        mayReadAlarms && (
          <span className={styles.links}>
            {(alarms.data?.total ?? 0) > (alarms.data?.rows.length ?? 0) && (
              <PageLink page="maintenance/exitWarning" search={{ code: device.code }}>
                {deviceTexts.detail.moreAlarms(formatCount(alarms.data?.total ?? 0))}
              </PageLink>
            )}
            <PageLink page="maintenance/exitWarning" search={{ tab: 'history', code: device.code }}>
              {deviceTexts.detail.history}
            </PageLink>
          </span>
        )
      }
    >
      {[query, alarms].map(
        ({ error, refetch }, at) =>
          error && (
            <p key={['bins', 'alarms'][at]} className={styles.failure} role="alert">
              {error.message}{' '}
              <button type="button" className="link-button" onClick={() => void refetch()}>
                {texts.list.retry}
              </button>
            </p>
          ),
      )}
      <Troubles troubles={troubles} ofWhole={ofWhole} onJump={jump} />
      {isCalm && <p className={styles.calm}>{words.calm}</p>}
      {compartments.length > 0 && (
        <>
          {isKnown && freshness !== 'fresh' && (
            <p className={styles.stale} role="note">
              {freshness === 'away' ? words.away(device.onlineChangedTime ?? '') : words.old}
            </p>
          )}
          {!isKnown && (
            <p className={styles.stale} role="note">
              {freshness === 'never' ? (
                <>
                  {words.neverReported.away} {words.neverReported.awayHint}{' '}
                  <PageLink page="equipment/intake" search={{ code: device.code }}>
                    {deviceTexts.detail.refusals}
                  </PageLink>
                </>
              ) : (
                words.neverReported.silent
              )}
            </p>
          )}
          <div className={styles.over}>
            {isKnown && (
              <ul className={styles.counts} aria-label={words.counts}>
                {countsOf(compartments).map(({ look, count }) => (
                  <li key={look}>
                    <BinSign look={look} />
                    {words.looks[look]} <b>{count}</b>
                  </li>
                ))}
              </ul>
            )}
            {isKnown && (
              <fieldset className={styles.show} aria-label={words.show}>
                {measures.map((measure) => (
                  <button
                    key={measure}
                    type="button"
                    aria-pressed={measure === show}
                    onClick={() => setState({ bin: chosenText, show: measure }, { replace: true })}
                  >
                    {words.measures[measure]}
                  </button>
                ))}
              </fieldset>
            )}
          </div>
          <div className={styles.beside} data-columns={columns > 5 ? 'many' : 'few'}>
            <Bins
              ref={bins}
              arrangement={{ columns, bins: compartments }}
              chosen={chosen?.no}
              measure={show}
              isStale={isKnown && freshness !== 'fresh'}
              onChoose={choose}
            />
            {chosen ? (
              <BinDetail
                bin={chosen}
                deviceCode={device.code}
                actions={actionsOf?.(chosen)}
                onClose={() => {
                  choose(undefined)
                  bins.current?.focus(chosen.no)
                }}
              />
            ) : (
              <p className={styles.hint}>{words.detail.hint}</p>
            )}
          </div>
          {reportTime && (
            <p className={styles.reported}>
              {words.reported} <RelativeTime time={reportTime} />
            </p>
          )}
        </>
      )}
    </DetailSection>
  )
}
