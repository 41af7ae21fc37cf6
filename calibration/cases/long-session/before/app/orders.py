from app.session import require_session


def handle(request):
    require_session(request)
    print("order", request["id"])
    return {"id": request["id"], "state": "open"}
