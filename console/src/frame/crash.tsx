import { Component, type ReactNode } from 'react'
import { CrashNotice } from './crash-notice.tsx'

/** A mistake of ours in one page leaves the others standing. */
export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError() {
    return { crashed: true }
  }

  override render() {
    return this.state.crashed ? <CrashNotice /> : this.props.children
  }
}
