"""What mypy must accept and refuse; nothing of it runs."""

from rollcall_client import RollcallClient, types


def events(rollcall: RollcallClient) -> None:
    for event in rollcall.events(type=["server.offline", "server.peak"]):
        if event["type"] == "server.offline":
            offline: types.ServerOfflineEvent = event
            reason: str = event["data"]["reason"]
            event["data"]["players"]  # type: ignore[typeddict-item]
            print(offline, reason)
        elif event["type"] == "server.peak":
            more: int = event["data"]["players"] - event["data"]["previousPlayers"]
            print(more)
        elif event["type"] == "server.exploded":  # type: ignore[comparison-overlap]
            pass


def lists(rollcall: RollcallClient) -> None:
    for entry in rollcall.iter_leaderboards(metric="sessions"):
        rank: int = entry["rank"]
        name: str = entry["player"]["mainNickname"]
        print(rank, name)
    rollcall.iter_leaderboards(metric="beauty")  # type: ignore[arg-type]
